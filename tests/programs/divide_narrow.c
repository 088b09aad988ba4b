//@ paths: 1 completed, 1 errors
//@ finding: div 12 zero
//@ exit: 1
//@ native: x=-128,-1,0,127
//@ why: -128 / -1 of chars is computed in int and does not overflow
#include <klee/klee.h>

int main(void) {
  signed char x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  return x / y;
}
