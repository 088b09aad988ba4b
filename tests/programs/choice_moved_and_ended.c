//@ paths: 7 completed, 1 errors
//@ finding: ptr 22 has ended
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: each element is an object and a distance of its own; the third was freed, wherever in it the pointer is
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned i, x, y, z;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_make_symbolic(&z, sizeof z, "z");
  if (i > 2 || x >= 16 || y >= 16 || z >= 16)
    return 0;
  char *a = calloc(1, 16), *b = calloc(1, 16), *c = calloc(1, 16);
  char *t[3] = {a + x, b + y, c + z};
  char *p = t[i];
  free(c);
  if (i == 2 && z == 0)
    return 1;
  return *p;
}
