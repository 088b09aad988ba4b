//@ finding: ptr 13 outside
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: a number that an input gives is added to a chosen pointer: it leads out of the object, whatever is there
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  char *t[3] = {malloc(24), malloc(24), malloc(24)};
  t[0][0] = t[1][0] = t[2][0] = 3;
  for (int n = 1; n < 24; n++) t[0][n] = t[1][n] = t[2][n] = 4;
  char *p = t[klee_range(0, 3, "i")];
  int far = klee_range(0, 65, "far");
  return p[far];
}
