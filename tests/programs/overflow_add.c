//@ paths: 1 completed, 1 errors
//@ finding: overflow 11 overflow
//@ test: error x=0x7fffffff
//@ run: --check overflow
//@ exit: 1
//@ why: only the largest number plus one leaves the range
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  int y = x + 1;
  return y == 0;
}
