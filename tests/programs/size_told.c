//@ paths: 1 completed, 0 errors
//@ native: no there is no klee_get_obj_size
//@ exit: 0
//@ why: the size of an object is the one that was asked for
#include <klee/klee.h>
#include <malloc.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 100, "n");
  char *p = malloc(n);
  klee_assert(klee_get_obj_size(p) == n);
  klee_assert(malloc_usable_size(p) == n);
  free(p);
  return 0;
}
