//@ paths: 6 completed, 0 errors
//@ exit: 0
//@ why: n = 0..5 calls, one path each
#include <klee/klee.h>

static int factorial(int n) {
  if (n == 0)
    return 1;
  return n * factorial(n - 1);
}

int main(void) {
  int n = klee_range(0, 6, "n");
  klee_assert(factorial(n) >= n);
  return 0;
}
