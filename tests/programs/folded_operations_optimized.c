//@ paths: 1 completed, 4 errors
//@ finding: overshift 15 shift
//@ finding: overshift 16 shift
//@ finding: div 17 zero
//@ finding: div 18 zero
//@ run: --cc-flag -O2
//@ exit: 1
//@ why: the optimiser would take these for anything or never reached
#include <klee/klee.h>

static int ways(unsigned char x) {
  const int far = 40;
  static int table[2];
  switch (x) {
  case 0: return 1 << 33;
  case 1: return x ? 1 << far : table[0];
  case 2: return 5 / 0;
  case 3: return 5 % 0;
  default: return 1 << 31 - 1;
  }
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  return ways(x) == 3;
}
