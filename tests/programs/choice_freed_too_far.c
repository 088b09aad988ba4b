//@ finding: ptr 14 ended
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: a pointer of a table is to an object that was freed; a constant leads from there into one that lives
#include <klee/klee.h>
#include <stdlib.h>
static char g[100];
int main(void) {
  char *t[2] = {malloc(24), g};
  char *lives = malloc(24);
  lives[0] = g[64] = 3;
  free(t[0]);
  char *p = t[klee_range(0, 2, "i")];
  return p[64];
}
