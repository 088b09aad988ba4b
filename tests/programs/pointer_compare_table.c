//@ paths: 2 completed, 0 errors
//@ test: i=1
//@ exit: 0
//@ why: pointers that are compared but not followed: the branch has two sides
#include <klee/klee.h>

static int a, b, c;
static int *table[3] = {&a, &b, &c};

int main(void) {
  int i = klee_range(0, 3, "i");
  if (table[i] == &b)
    return 1;
  return 0;
}
