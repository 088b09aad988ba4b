//@ paths: 0 completed, 1 errors
//@ finding: ptr 15 outside
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: what was written to an element is read from it, whichever it is: one known pointer, which does not reach the next object
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *a = malloc(24), *b = malloc(24), *q;
  a[0] = b[0] = 3;
  char *t[2] = {b, b};
  int i = klee_range(0, 2, "i");
  t[i] = a;
  memcpy(&q, &t[i], sizeof q); return q[64];
}
