//@ paths: 1 completed, 1 errors
//@ finding: ptr 10 ended
//@ exit: 1
//@ native: objects
//@ why: a pointer of a table is to a variable of a function that has returned; another variable has its place
#include <klee/klee.h>
static int g = 5;
static int *left(void) { int x = 7; int *volatile p = &x; return p; }
static int use(int **t, int i) {
  int y = 9; int *volatile q = &y; int before = *t[i];
  return before + *q;
}
int main(void) {
  int *t[2] = {&g, left()};
  return use(t, klee_range(0, 2, "i"));
}
