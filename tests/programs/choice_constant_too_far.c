//@ finding: ptr 14 outside
//@ finding: readonly 14 constant
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: a write to a constant that a symbolic number leads out of is outside; it is to the constant only where it is inside
#include <klee/klee.h>
#include <stdlib.h>
static const char constant[20] = {1, 2, 3};
int main(void) {
  char *a = malloc(24), *b = malloc(24);
  a[0] = b[0] = 1;
  char *t[3] = {(char *)constant, a, b};
  char *p = t[klee_range(0, 3, "i")];
  p[klee_range(0, 2, "far") * 20] = 5;
  return a[20];
}
