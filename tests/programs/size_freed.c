//@ paths: 1 completed, 1 errors
//@ finding: ptr 14 ended
//@ exit: 1
//@ why: an object of any size is no more after it was freed
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 20, "n");
  char *p = malloc(n);
  p[0] = 1;
  free(p);
  if (n > 10)
    p[0] = 2;
  return 0;
}
