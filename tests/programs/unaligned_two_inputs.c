//@ paths: 2 completed, 0 errors
//@ test: a=0x5600
//@ test: b=0x0012
//@ exit: 0
//@ native: a=0,0x5600,0x5601,0x56,0x5500 b=0,0x0012,0x0112,0x1200
//@ why: two bytes read across the border of two inputs; the other two bytes are fixed by the assumption
#include <klee/klee.h>
#include <stdint.h>
#include <string.h>

int main(void) {
  uint16_t a, b, middle;
  unsigned char both[4];
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_assume(((a & 0xff) == 0) & (b >> 8 == 0));
  memcpy(both, &a, 2);
  memcpy(both + 2, &b, 2);
  memcpy(&middle, both + 1, 2);
  if (middle == 0x1256)
    return 1;
  return 0;
}
