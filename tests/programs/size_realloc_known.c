//@ paths: 2 completed, 0 errors
//@ native: n=1..30
//@ exit: 0
//@ why: what was there is kept where there is still room
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int n = klee_range(1, 31, "n");
  char *p = malloc(n);
  memset(p, 3, n);
  p = realloc(p, 20);
  p[19] = 4;
  if (n > 4)
    klee_assert(p[4] == 3);
  klee_assert(p[0] == 3);
  klee_assert(p[19] == 4);
  free(p);
  return 0;
}
