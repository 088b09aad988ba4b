//@ run: --check leak
//@ exit: 1
//@ finding: leak 12 heap
//@ finding: leak 13 heap
//@ finding: leak 14 heap
//@ why: a chosen node keeps the nodes behind it, in a ring or not
#include <klee/klee.h>
#include <stdlib.h>
struct node { struct node *next; };
static struct node *keep;
int main(void) {
  struct node *a = malloc(sizeof *a);
  struct node *b = malloc(sizeof *b);
  struct node *c = malloc(sizeof *c);
  struct node *table[3] = {a, b, c};
  a->next = b; b->next = c; c->next = b;
  int i = klee_range(0, 4, "i");
  keep = i < 3 ? table[i] : 0;
  a = b = c = table[0] = table[1] = table[2] = 0;
  return 0;
}
