//@ paths: 2 completed, 0 errors
//@ native: n=0..9
//@ exit: 0
//@ why: none of these elements are an object, and one is already more than there is
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 10, "n");
  char *p = calloc(n, 1ul << 62);
  if (p == NULL)
    return 1;
  klee_assert(n == 0);
  free(p);
  return 0;
}
