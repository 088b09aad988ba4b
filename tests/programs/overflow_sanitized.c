//@ paths: 1 completed, 1 errors
//@ finding: overflow 11 overflow
//@ test: error x=0x80000000
//@ run: --cc-flag -fsanitize=signed-integer-overflow
//@ exit: 1
//@ why: the compiler's check of the negation fails for the smallest number only
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  int y = -x;
  return y == x;
}
