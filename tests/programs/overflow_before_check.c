//@ paths: 1 completed, 1 errors
//@ finding: ptr 15 outside
//@ test: error i=0x40000001
//@ exit: 1
//@ native: i=0,1,2,7,0x3fffffff,0x40000000,0x40000001
//@ why: 4 * 0x40000001 wraps to 4, so the test lets it pass as it does 0 and 1: one side, and one index outside
#include <klee/klee.h>

static char table[8];

int main(void) {
  unsigned i = klee_int("i");
  klee_assume((i < 2) | (i == 0x40000001));
  if (i * 4 < 8)
    table[i] = 1;
  return 0;
}
