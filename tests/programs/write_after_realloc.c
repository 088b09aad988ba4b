//@ paths: 1 completed, 1 errors
//@ finding: ptr 14 ended
//@ exit: 1
//@ why: realloc ends the old object; the branch decides which pointer is used
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char stale;
  klee_make_symbolic(&stale, sizeof stale, "stale");
  char *old = malloc(4);
  char *new = realloc(old, 4000);
  char *p = stale ? old : new;
  p[3] = 'x';
  free(new);
  return 0;
}
