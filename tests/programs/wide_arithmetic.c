//@ paths: 3 completed, 0 errors
//@ test: x=0xffffffffffffffff
//@ exit: 0
//@ native: x=0,1,4..6,0xffffffff,0x100000000,0xfffffffffffffffe,0xffffffffffffffff
//@ why: the square's upper half is 2^64 - 2 only for the largest x; else it is 0 for x below 2^32
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
  uint64_t x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume((x == UINT64_MAX) | (x < 0x100000000));
  unsigned __int128 square = (unsigned __int128)x * x;
  uint64_t upper = square >> 64;
  if (upper == 0xfffffffffffffffe)
    return 1;
  klee_assert(upper == 0);
  if ((uint64_t)square == 25)
    return 2;
  return 3;
}
