//@ paths: 0 completed, 1 errors
//@ finding: free 12 freed before
//@ exit: 1
//@ why: an object of any size can be freed once
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 20, "n");
  char *p = malloc(n);
  free(p);
  free(p);
  return 0;
}
