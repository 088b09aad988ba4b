//@ paths: 5 completed, 1 errors
//@ finding: ptr 12 outside
//@ test: error n=5
//@ exit: 1
//@ why: n is at most 5; for 5 the last round of the loop writes behind, 0..4 are paths of their own, so 5 completed
#include <klee/klee.h>

int main(void) {
  int a[4];
  int n = klee_range(0, 6, "n");
  for (int i = 0; i < n; i++)
    a[i] = i;
  return 0;
}
