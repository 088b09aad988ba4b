//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: freeing null is allowed
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  char *p = x ? malloc(1) : 0;
  free(p);
  return 0;
}
