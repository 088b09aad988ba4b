//@ paths: 7 completed, 3 errors
//@ run: --max-symbolic-size 0
//@ native: no each size is a path because that is asked for
//@ finding: ptr 13 outside
//@ exit: 1
//@ why: sizes 0..9, of which the three smallest have no third byte
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 10, "n");
  char *p = malloc(n);
  p[2] = 1;
  free(p);
  return 0;
}
