//@ paths: 2 completed, 1 errors
//@ finding: uninit 14 uninitialised
//@ run: --check uninit
//@ exit: 1
//@ native: no uninitialised memory is an input
//@ why: a prefix of unknown length was written
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int n = klee_range(1, 4, "n");
  char *p = malloc(4);
  memset(p, 0, n);
  if (p[2])
    return 1;
  free(p);
  return 0;
}
