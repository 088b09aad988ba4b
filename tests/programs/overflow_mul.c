//@ paths: 1 completed, 1 errors
//@ finding: overflow 13 overflow
//@ test: error x=0x8000
//@ run: --check overflow
//@ exit: 1
//@ why: squares of short numbers fit into int; 65537 times them do but for -32768
#include <klee/klee.h>

int main(void) {
  short x;
  klee_make_symbolic(&x, sizeof x, "x");
  int square = x * x;
  int large = x * 65537;
  return square == large;
}
