//@ partial: more bytes than may be symbolic
//@ paths: 3 completed, 0 errors
//@ native: no sizes above the limit are given one value
//@ exit: 2
//@ why: small sizes, one of the larger ones, and those that no heap has room for
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  char *p = malloc(n);
  if (p == NULL) {
    klee_assert(n > 1000000);
    return 1;
  }
  free(p);
  return 0;
}
