//@ paths: 1 completed, 1 errors
//@ native: n=0..9 i=0..9
//@ finding: ptr 13 outside
//@ exit: 1
//@ why: both the number of elements and the index are inputs; the index is inside, or it is not
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned n = klee_range(0, 10, "n");
  unsigned i = klee_range(0, 10, "i");
  int *p = malloc(n * sizeof *p);
  p[i] = 1;
  klee_assert(p[i] == 1);
  free(p);
  return 0;
}
