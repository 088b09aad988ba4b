//@ paths: 1 completed, 1 errors
//@ finding: free 11 free
//@ exit: 1
//@ why: the last of three inputs frees behind the beginning of an object
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int i = klee_range(0, 3, "i");
  char *p = malloc(4);
  free(p + i / 2);
  return 0;
}
