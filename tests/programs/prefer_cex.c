//@ paths: 2 completed, 0 errors
//@ test: x=0x6d
//@ exit: 0
//@ native: no a preference chooses among inputs of a path
//@ why: the preferred value is possible on one of two paths, where the test must have it
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_prefer_cex(&x, x == 0x6d);
  if (x > 100)
    return 1;
  return 0;
}
