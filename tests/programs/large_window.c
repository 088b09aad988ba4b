//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: each byte of a large buffer is what it is in a small one, whatever is written and read at unknown places of both, at any alignment;
//@ why: what lies beside the places that can be reached stays as it was
#include <klee/klee.h>

static unsigned char large[1000], small[24];

int main(void) {
  unsigned char at[3];
  for (int i = 0; i < 1000; i++) large[i] = i * 7;
  for (int i = 0; i < 24; i++) small[i] = large[480 + i];
  klee_make_symbolic(at, sizeof at, "at");
  for (int i = 0; i < 3; i++) klee_assume(at[i] < 8);
  *(unsigned *)(large + 480 + at[0]) = 0x11223344;
  *(unsigned *)(small + at[0]) = 0x11223344;
  *(unsigned short *)(large + 483 + at[1]) = at[2];
  *(unsigned short *)(small + 3 + at[1]) = at[2];
  klee_assert(*(unsigned long *)(large + 480 + at[2]) == *(unsigned long *)(small + at[2]));
  klee_assert(large[479] == (unsigned char)(479 * 7) && large[504] == (unsigned char)(504 * 7));
  return 0;
}
