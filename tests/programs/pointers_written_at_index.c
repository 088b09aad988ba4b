//@ paths: 2 completed, 0 errors
//@ native: no a pointer of a table is a way for each object
//@ why: the pointer is one of two values: equal indices, or not; the assertions hold
#include <klee/klee.h>

static int a = 1, b = 2;

int main(void) {
  int *table[4] = {&a, &a, &a, &a};
  unsigned char i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < 4);
  klee_assume(j < 4);
  table[i] = &b;
  int x = *table[j];
  if (x == 2)
    klee_assert(i == j);
  else
    klee_assert(i != j);
  *table[j] = 7;
  return a == 7 && b == 7;
}
