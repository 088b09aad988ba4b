//@ paths: 1 completed, 2 errors
//@ finding: abort 9 abort
//@ exit: 1
//@ why: two callers reach one abort: two paths, one finding
#include <klee/klee.h>
#include <stdlib.h>

static void fail(void) {
  abort();
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 10)
    fail();
  if (x > 240)
    fail();
  return 0;
}
