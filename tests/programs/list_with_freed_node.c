//@ paths: 1 completed, 2 errors
//@ finding: ptr 16 end
//@ exit: 1
//@ why: the first or the second node of a list was freed
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct n { struct n *next; int v; };
int main(void) {
  int i = klee_range(0, 3, "i");
  struct n *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  a->next = b; b->next = 0; a->v = b->v = 1;
  free(i == 1 ? b : i == 2 ? a : 0);
  int s = 0;
  for (struct n *p = a; p; p = p->next)
    s += p->v;
  return s > 10;
}
