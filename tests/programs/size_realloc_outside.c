//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 outside
//@ test: error m=4
//@ native: m=4..20
//@ exit: 1
//@ why: the new size counts: only the smallest lacks the fifth byte
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int m = klee_range(4, 21, "m");
  char *p = realloc(malloc(8), m);
  p[4] = 1;
  free(p);
  return 0;
}
