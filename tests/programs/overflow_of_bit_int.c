//@ paths: 1 completed, 1 errors
//@ finding: overflow 13 overflow
//@ run: --check overflow
//@ exit: 1
//@ why: a number of nine bits leaves its range
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  _BitInt(9) b = x;
  b = b + (_BitInt(9))100;
  return b == 5;
}
