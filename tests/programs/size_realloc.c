//@ paths: 3 completed, 0 errors
//@ native: n=1..9 m=1..9
//@ exit: 0
//@ why: what both sizes have room for is kept; two jumps on sizes
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 10, "n");
  int m = klee_range(1, 10, "m");
  char *p = malloc(n);
  p[0] = 7;
  p[n - 1] = 9;
  char *q = realloc(p, m);
  if (n > 1 && m >= n)
    klee_assert(q[0] == 7 && q[n - 1] == 9);
  free(q);
  return 0;
}
