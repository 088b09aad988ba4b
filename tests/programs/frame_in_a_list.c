//@ paths: 1 completed, 1 errors
//@ finding: ptr 16 end
//@ exit: 1
//@ why: a list holds a variable of a function that has returned
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct s { int x; struct s *up; };
static struct s *head;
static void push(struct s *e) { e->up = head; head = e; }
static void pop(void) { head = head->up; }
static int f(int bad) { struct s e = {1}; push(&e); if (!bad) pop(); return 0; }
int main(void) {
  int i = klee_range(0, 2, "i");
  f(i);
  return head ? head->x : 0;
}
