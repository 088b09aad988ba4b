//@ paths: 1 completed, 1 errors
//@ finding: ptr 14 end
//@ exit: 1
//@ why: the old pointer is used behind realloc
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int i = klee_range(0, 2, "i");
  int *p = malloc(8), *q = p;
  p[1] = 4;
  p = realloc(p, 64);
  if (p[1] != 4) return 1;
  int r = i ? q[1] : p[1];
  free(p);
  return r == 77;
}
