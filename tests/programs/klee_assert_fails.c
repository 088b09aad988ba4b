//@ paths: 1 completed, 1 errors
//@ finding: assert 11 y
//@ test: error x=15
//@ exit: 1
//@ why: x is a multiple of 15 below 30 but not 0 in one case
#include <klee/klee.h>

int main(void) {
  int x = klee_range(1, 30, "x");
  int y = x % 15;
  klee_assert(y);
  return 0;
}
