//@ paths: 1 completed, 1 errors
//@ finding: free 14 global
//@ exit: 1
//@ why: one side frees a heap object, the other a global one
#include <klee/klee.h>
#include <stdlib.h>

static char spare[16];

int main(void) {
  unsigned char large;
  klee_make_symbolic(&large, sizeof large, "large");
  char *p = large > 16 ? malloc(32) : spare;
  free(p);
  return 0;
}
