//@ paths: 2 completed, 1 errors
//@ finding: ptr 15 outside
//@ test: error i=8
//@ exit: 1
//@ why: the check allows 8, which is outside of the 8 bytes; larger ones return early
#include <klee/klee.h>

char buffer[8];

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  if (i > sizeof buffer)
    return 1;
  buffer[i] = 1;
  return 0;
}
