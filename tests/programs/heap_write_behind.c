//@ paths: 1 completed, 1 errors
//@ finding: ptr 12 outside
//@ exit: 1
//@ native: i=-20..20
//@ why: a negative index and one of 4 or more fail at the same store; 0..3 are one path
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int i = klee_int("i");
  int *p = malloc(4 * sizeof *p);
  p[i] = 7;
  free(p);
  return 0;
}
