//@ paths: 1 completed, 0 errors
//@ native: n=1..9 i=0..9
//@ exit: 0
//@ why: the last element is there, and other than the one before the index if that is below it
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned n = klee_range(1, 10, "n");
  unsigned i = klee_range(0, 10, "i");
  klee_assume(i < n);
  short *p = calloc(n, sizeof *p);
  p[n - 1] = 5;
  klee_assert(p[i] == (i == n - 1 ? 5 : 0));
  free(p);
  return 0;
}
