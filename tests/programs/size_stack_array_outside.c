//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 outside
//@ test: error n=3
//@ exit: 1
//@ why: only the smallest has no fourth element
#include <klee/klee.h>

int main(void) {
  int n = klee_range(3, 50, "n");
  volatile int a[n];
  a[0] = 0;
  a[2] = 2;
  a[3] = 3;
  return 0;
}
