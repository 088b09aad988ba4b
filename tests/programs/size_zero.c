//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 outside
//@ test: error n=0
//@ native: no the sanitiser gives an object of no bytes one
//@ exit: 1
//@ why: an object of no bytes is none that is null, and has no first byte
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 100, "n");
  char *p = malloc(n);
  p[0] = 1;
  free(p);
  return 0;
}
