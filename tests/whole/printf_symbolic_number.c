//@ exit: 0
//@ paths: 3 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: nothing to divide, one digit, two digits
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x < 20);
  printf("%u\n", x);
  return 0;
}
