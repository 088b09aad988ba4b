//@ finding: ptr 14 outside
//@ paths: 1 completed, 1 errors
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: as choice_of_moved_choice.c, where the last elements of the table are alike and stand for all that are not listed
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  char *a = malloc(24), *b = malloc(24), *c = malloc(24);
  for (int n = 0; n < 24; n++) a[n] = b[n] = c[n] = 1;
  char *t[4] = {a, b, b, b}, *u[4] = {c, c, c, c};
  char *far = t[klee_range(0, 4, "i")] + klee_range(64, 68, "far");
  u[klee_range(0, 4, "j")] = far;
  return u[1][0];
}
