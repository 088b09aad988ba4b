//@ paths: 1 completed, 0 errors
//@ native: n=1..40 i=0..40
//@ exit: 0
//@ why: every byte of the object is zero, whatever its size
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int n = klee_range(1, 41, "n");
  int i = klee_range(0, 41, "i");
  klee_assume(i < n);
  char *p = malloc(n);
  memset(p, 0, n);
  klee_assert(p[i] == 0);
  free(p);
  return 0;
}
