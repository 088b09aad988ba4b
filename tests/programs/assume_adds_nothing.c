//@ paths: 2 completed, 0 errors
//@ test: x=10
//@ exit: 0
//@ why: x is 10 or 20; the assumption does not fork (its | is no branch), the branch does
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume((x == 10) | (x == 20));
  if (x < 15)
    return 1;
  return 0;
}
