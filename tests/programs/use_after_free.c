//@ paths: 1 completed, 1 errors
//@ finding: ptr 15 ended
//@ exit: 1
//@ why: freed on one side of the branch only
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int *p = malloc(sizeof *p);
  *p = 1;
  if (x < 100)
    free(p);
  return *p;
}
