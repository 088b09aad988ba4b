//@ paths: 2 completed, 1 errors
//@ finding: abort 15 abort
//@ test: error x=0x1234
//@ exit: 1
//@ native: x=0x1234,0x1200,0x34,0x1235,0x1334
//@ why: both bytes must match; each test has one other side
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned short x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x >> 8 == 0x12)
    if ((x & 0xff) == 0x34)
      abort();
  return 0;
}
