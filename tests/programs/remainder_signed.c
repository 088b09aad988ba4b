//@ paths: 1 completed, 2 errors
//@ finding: div 11 zero
//@ finding: overflow 12 division
//@ test: error x=0x80000000
//@ exit: 1
//@ why: y is 0, or the smallest number is divided by -1 one line below, or neither
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x"), y = klee_int("y");
  int a = 100 % y;
  int b = x % y;
  return a == b;
}
