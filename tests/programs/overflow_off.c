//@ paths: 2 completed, 0 errors
//@ test: x=0x7fffffff
//@ exit: 0
//@ why: without the check, arithmetic wraps; the sum is negative for one x that is positive
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  klee_assume(x > 0);
  if (x + 1 < 0)
    return 1;
  return 0;
}
