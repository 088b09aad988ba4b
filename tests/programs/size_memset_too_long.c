//@ paths: 1 completed, 1 errors
//@ native: n=0..16 m=0..16
//@ finding: ptr 14 outside
//@ exit: 1
//@ why: a length of at most the size is right, a longer one is not
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int n = klee_range(0, 17, "n");
  int m = klee_range(0, 17, "m");
  char *p = malloc(n);
  memset(p, 0, m);
  free(p);
  return 0;
}
