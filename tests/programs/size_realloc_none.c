//@ paths: 2 completed, 0 errors
//@ native: no a realloc to no bytes differs between C libraries
//@ exit: 0
//@ why: to no bytes is to free, to some is to make
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 10, "n");
  char *p = realloc(malloc(8), n);
  if (p == NULL) {
    klee_assert(n == 0);
    return 0;
  }
  klee_assert(n > 0);
  free(p);
  return 0;
}
