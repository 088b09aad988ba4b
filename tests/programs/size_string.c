//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 outside
//@ test: error n=5
//@ exit: 1
//@ why: five bytes are one too few for the string and its end
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int n = klee_range(5, 50, "n");
  char *p = malloc(n);
  strcpy(p, "hello");
  klee_assert(strlen(p) == 5);
  char *q = strdup(p);
  klee_assert(strcmp(p, q) == 0);
  free(q);
  free(p);
  return 0;
}
