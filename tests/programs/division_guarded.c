//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: x=0,1,100 y=0..9,255
//@ why: the divisor was tested, so the check cannot fail
#include <klee/klee.h>

int main(void) {
  unsigned char x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  if (y == 0)
    return 0;
  return x / y;
}
