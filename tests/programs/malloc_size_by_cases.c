//@ paths: 2 completed, 1 errors
//@ finding: ptr 18 outside
//@ test: error n=2
//@ exit: 1
//@ why: the size is known on each path; only the smallest does not have four bytes
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(2, 100, "n");
  char *p;
  if (n == 2)
    p = malloc(2);
  else if (n < 10)
    p = malloc(4);
  else
    p = malloc(8);
  p[3] = 1;
  return 0;
}
