//@ paths: 7 completed, 1 errors
//@ finding: ptr 15 outside
//@ test: error n=7
//@ exit: 1
//@ why: each of 1..8 is a number of turns; of those above 6 only 7 lacks the eighth byte
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 9, "n");
  char *p = malloc(n);
  for (int i = 0; i < n; i++)
    p[i] = i;
  if (n > 6)
    p[7] = 1;
  free(p);
  return 0;
}
