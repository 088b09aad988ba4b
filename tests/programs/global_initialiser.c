//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: globals that point to each other; two steps along the ring lead back or not, by the branch
#include <klee/klee.h>

struct ring {
  int value;
  struct ring *next;
};
extern struct ring b;
struct ring a = {1, &b};
struct ring b = {2, &a};
static int *inside = &b.value;

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct ring *at = a.next;
  if (x)
    at = at->next;
  klee_assert(at->value == (x ? 1 : 2));
  klee_assert(*inside == 2);
  return 0;
}
