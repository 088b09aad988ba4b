//@ finding: ptr 12 outside
//@ paths: 0 completed, 2 errors
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: both pointers were led to where no object is before they were chosen; one constant leads back, the other into a neighbour
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  char *a = malloc(24), *b = malloc(24), *c = malloc(24);
  for (int n = 0; n < 24; n++) a[n] = b[n] = c[n] = 1;
  char *t[3] = {a + 32, b + 32, b + 32}, *p = t[klee_range(0, 3, "i")];
  return p[-16] + p[48];
}
