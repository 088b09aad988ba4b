//@ paths: 1 completed, 1 errors
//@ finding: overflow 12 overflow
//@ run: --check overflow
//@ exit: 1
//@ why: the smallest number has no opposite
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  int y = -x;
  return y == 5;
}
