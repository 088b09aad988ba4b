//@ finding: ptr 13 outside
//@ paths: 0 completed, 1 errors
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: all pointers are to the object whose size an input says; the number that is added leads into another one
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned size = klee_range(28, 32, "size");
  char *a = malloc(size), *b = malloc(32);
  for (int n = 0; n < 32; n++) b[n] = n;
  char *t[3] = {a, a + 2, a + 5};
  return t[klee_range(0, 3, "i")][klee_range(64, 68, "far")];
}
