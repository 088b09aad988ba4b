//@ paths: 2 completed, 0 errors
//@ test: i=6
//@ exit: 0
//@ why: only one element is 17
#include <klee/klee.h>

static const unsigned char table[8] = {2, 3, 5, 7, 11, 13, 17, 19};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 8);
  if (table[i] == 17)
    return 1;
  return 0;
}
