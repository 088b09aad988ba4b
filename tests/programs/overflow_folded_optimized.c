//@ paths: 1 completed, 5 errors
//@ finding: overflow 17 overflow
//@ finding: overflow 18 overflow
//@ finding: overflow 19 overflow
//@ finding: overflow 20 overflow
//@ finding: overflow 21 overflow
//@ run: --check overflow --cc-flag -O2
//@ exit: 1
//@ why: as without optimising: the compiler is told to keep the checks
#include <klee/klee.h>
#include <limits.h>
#include <stdlib.h>

static int ways(unsigned char x) {
  const int most = INT_MAX, least = INT_MIN;
  switch (x) {
  case 0: return INT_MAX + 1;
  case 1: return most + 1;
  case 2: return -least;
  case 3: return abs(INT_MIN);
  case 4: return most * 2;
  default: return 0;
  }
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  return ways(x) == 3;
}
