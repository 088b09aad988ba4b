//@ paths: 1 completed, 2 errors
//@ finding: div 12 zero
//@ finding: overflow 12 division
//@ test: error y=0
//@ test: error x=0x80000000
//@ exit: 1
//@ why: zero, the smallest number by -1, and the rest
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x"), y = klee_int("y");
  return x / y == 3;
}
