//@ paths: 2 completed, 0 errors
//@ test: x=200
//@ exit: 0
//@ why: the byte moves with its object; one branch
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char *p = malloc(2);
  klee_make_symbolic(p, 1, "x");
  p[1] = 1;
  p = realloc(p, 100);
  p[99] = 1;
  if (p[0] == 200)
    return 1;
  free(p);
  return 0;
}
