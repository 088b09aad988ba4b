//@ paths: 1 completed, 1 errors
//@ finding: abort 12 abort
//@ test: error x=255
//@ exit: 1
//@ why: one value
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 255)
    klee_abort();
  return 0;
}
