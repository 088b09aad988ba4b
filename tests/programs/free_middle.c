//@ paths: 1 completed, 1 errors
//@ finding: free 15 first address
//@ exit: 1
//@ why: offset 0 may be freed, offsets 1..3 may not
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char offset;
  klee_make_symbolic(&offset, sizeof offset, "offset");
  klee_assume(offset < 4);
  char *p = malloc(8);
  if (offset)
    p++;
  free(p);
  return 0;
}
