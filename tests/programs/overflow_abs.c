//@ paths: 1 completed, 1 errors
//@ finding: overflow 11 overflow
//@ test: error x=0x80000000
//@ run: --check overflow
//@ exit: 1
//@ why: the least number has no absolute value
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  return abs(klee_int("x")) == 1;
}
