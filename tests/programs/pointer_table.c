//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ native: objects
//@ why: the table has three objects, one of them twice; a path for each object
#include <klee/klee.h>

static int a = 1, b = 2, c = 3;
static int *table[4] = {&a, &b, &a, &c};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  int *p = table[i];
  return *p;
}
