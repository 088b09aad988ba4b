//@ exit: 0
//@ why: whatever the size 1..6, all of it may be written, and nothing else is; paths are a matter of policy
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 7, "n");
  char *p = malloc(n);
  for (int i = 0; i < n; i++)
    p[i] = i;
  free(p);
  return 0;
}
