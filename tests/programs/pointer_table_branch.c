//@ paths: 4 completed, 0 errors
//@ test: i=2
//@ exit: 0
//@ native: objects
//@ why: three objects; where the pointer leads to a, the index is 0 or 2, which the branch tells apart
#include <klee/klee.h>

static int a = 1, b = 2, c = 3;
static int *table[4] = {&a, &b, &a, &c};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  int *p = table[i];
  *p += 10;
  if (a == 1)
    return 3;
  if (i == 0)
    return 1;
  return 2;
}
