//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: i and j meet or not; where they meet the byte is the last one written
#include <klee/klee.h>

int main(void) {
  char a[4] = {1, 1, 1, 1};
  int i = klee_range(0, 4, "i"), j = klee_range(0, 4, "j");
  a[i] = 5;
  a[j] = 6;
  if (i == j) {
    klee_assert(a[i] == 6);
    return 1;
  }
  klee_assert((a[i] == 5) & (a[j] == 6));
  return 0;
}
