//@ finding: ptr 11 outside
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: a constant that leads from one object into the next is outside of the first, whichever it is
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  char *t[2] = {malloc(24), malloc(24)};
  t[0][0] = t[1][0] = 3;
  char *p = t[klee_range(0, 2, "i")];
  return p[64];
}
