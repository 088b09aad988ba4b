//@ paths: 1 completed, 1 errors
//@ finding: ptr 19 null
//@ exit: 1
//@ why: a member of a null structure is near null; two outcomes of one branch
#include <klee/klee.h>

struct node {
  int key;
  struct node *next;
};

int main(void) {
  struct node last = {1, 0}, first = {0, &last};
  unsigned char far;
  klee_make_symbolic(&far, sizeof far, "far");
  struct node *at = &first;
  if (far & 1)
    at = last.next;
  at->next = &last;
  return 0;
}
