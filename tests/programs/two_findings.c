//@ paths: 1 completed, 2 errors
//@ finding: abort 15 abort
//@ finding: assert 16 x
//@ test: error x=2
//@ exit: 1
//@ why: one value each, at different places
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 2)
    abort();
  assert(x != 3);
  return 0;
}
