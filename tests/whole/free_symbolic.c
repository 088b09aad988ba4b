//@ exit: 1
//@ paths: 3 completed, 1 errors, 0 stopped
//@ finding: free 12
//@ why: null, the beginning of either block, and everything else, which is one error
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  void *p;
  klee_make_symbolic(&p, sizeof p, "p");
  volatile char *first = malloc(10), *second = malloc(12);
  free(p);
  return 0;
}
