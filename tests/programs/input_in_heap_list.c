//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: x=0..9
//@ why: found at node 0, 1 or 2, or not
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  unsigned char key;
  struct node *next;
};

int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->key = i * 3;
    n->next = head;
    head = n;
  }
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int at = 0;
  for (struct node *n = head; n; n = n->next, at++)
    if (n->key == x)
      return at;
  return -1;
}
