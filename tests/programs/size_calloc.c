//@ paths: 6 completed, 0 errors
//@ exit: 0
//@ why: one path for each number of elements, all of them zero
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 6, "n");
  int *p = calloc(n, sizeof *p);
  for (int i = 0; i < n; i++)
    klee_assert(p[i] == 0);
  free(p);
  return 0;
}
