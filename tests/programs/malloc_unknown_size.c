//@ finding: ptr 11 outside
//@ exit: 1
//@ why: sizes 1..3 are too small for the fourth byte; how sizes are explored is a policy, so paths are not counted
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 7, "n");
  char *p = malloc(n);
  p[n - 1] = 1;
  p[3] = 1;
  return 0;
}
