//@ paths: 5 completed, 1 errors
//@ finding: ptr 37 null
//@ test: i=5
//@ why: three entries point to nodes of their own: a path each; two into one array are one path;
//@ why: entry 5 is where its node's list ends, a path by itself; entry 6 is null, the error
//@ exit: 1
//@ native: no a pointer of a table is a way for each object
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  int key;
  int seen;
  struct node *next;
};

static struct node pool[2] = {{40, 0, 0}, {50, 0, 0}};

int main(void) {
  struct node *table[7];
  for (int i = 0; i < 3; i++) {
    table[i] = malloc(sizeof(struct node));
    table[i]->key = 10 * i;
    table[i]->seen = 0;
    table[i]->next = table[0];
  }
  table[3] = &pool[0];
  table[4] = &pool[1];
  table[5] = malloc(sizeof(struct node));
  table[5]->key = 60;
  table[5]->next = table[5];
  table[6] = 0;
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 7);
  struct node *p = table[i];
  p->seen = 1;
  klee_assert(p->key == (i < 3 ? 10 * i : i == 5 ? 60 : 10 * i + 10));
  if (p->next)
    p->next->seen += 1;
  if (i < 3)
    klee_assert(p->next->key == 0 && table[i]->seen == (i == 0 ? 2 : 1));
  return 0;
}
