//@ paths: 7 completed, 0 errors
//@ exit: 0
//@ why: one path for each number of turns, none for the size itself
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(0, 7, "n");
  char *p = malloc(n);
  for (int i = 0; i < n; i++)
    p[i] = i;
  free(p);
  return 0;
}
