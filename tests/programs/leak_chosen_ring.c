//@ run: --check leak
//@ exit: 0
//@ paths: 1 completed, 0 errors
//@ native: no paths of its own: the choice is no branch
//@ why: in a ring each node keeps all
#include <klee/klee.h>
#include <stdlib.h>
struct node { struct node *next; };
static struct node *keep;
int main(void) {
  struct node *table[5];
  for (int i = 0; i < 5; i++) table[i] = malloc(sizeof **table);
  for (int i = 0; i < 5; i++) table[i]->next = table[(i + 1) % 5];
  keep = table[klee_range(0, 5, "i")];
  return 0;
}
