//@ finding: ptr 13 outside
//@ exit: 1
//@ paths: 1 completed, 1 errors
//@ native: no, where objects lie is the allocator's matter
//@ why: a pointer that a symbolic number leads out of its object becomes an element of a table; it is not to the object that is there
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  char *a = malloc(24), *b = malloc(24), *c = malloc(24);
  for (int n = 0; n < 24; n++) a[n] = b[n] = c[n] = 5;
  char *t[2] = {c, c};
  t[klee_range(0, 2, "i")] = a + klee_range(64, 72, "far");
  return t[0][0];
}
