//@ finding: ptr 14 outside
//@ paths: 1 completed, 1 errors
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: a chosen pointer that a symbolic number leads into the neighbour of its object becomes an element of another table
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  char *a = malloc(24), *b = malloc(24), *c = malloc(24);
  for (int n = 0; n < 24; n++) a[n] = b[n] = c[n] = 1;
  char *t[3] = {a, b, b}, *u[3] = {c, c, c};
  char *far = t[klee_range(0, 3, "i")] + klee_range(64, 68, "far");
  u[klee_range(0, 3, "j")] = far;
  return u[1][0];
}
