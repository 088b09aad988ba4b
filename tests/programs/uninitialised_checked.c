//@ paths: 1 completed, 1 errors
//@ finding: uninit 15 uninit
//@ run: --check uninit
//@ exit: 1
//@ native: no uninitialised memory is an input
//@ why: on one side the variable was never written when it is used
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int y;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 3)
    y = 1;
  if (y)
    return 1;
  return 0;
}
