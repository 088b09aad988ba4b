//@ paths: 1 completed, 1 errors
//@ finding: div 13 zero
//@ test: error y=0
//@ exit: 1
//@ native: x=0,1,200
//@ why: the divisor is zero or not
#include <klee/klee.h>

int main(void) {
  unsigned char x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  return (unsigned)x / (unsigned)y;
}
