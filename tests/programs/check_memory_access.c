//@ paths: 1 completed, 1 errors
//@ finding: ptr 14 outside
//@ exit: 1
//@ why: 4 bytes are accessible, 5 are not
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  char *p = malloc(4);
  klee_make_symbolic(&x, sizeof x, "x");
  klee_check_memory_access(p, 4);
  if (x == 1)
    klee_check_memory_access(p, 5);
  return 0;
}
