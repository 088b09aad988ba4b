//@ paths: 2 completed, 1 errors
//@ finding: abort 19 abort
//@ test: error x=5
//@ test: error y=3
//@ exit: 1
//@ native: x=0..20 y=0..20
//@ why: one solution of both equations; the first fails, the second fails, none fails
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  if (x + y != 8)
    return 1;
  if (x * 3 - y != 12)
    return 2;
  abort();
}
