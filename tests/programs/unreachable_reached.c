//@ paths: 3 completed, 1 errors
//@ finding: exec 14 reached
//@ exit: 1
//@ why: the bits 0..2 have a case each, 3 has none
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x & 3) {
  case 0: return 5;
  case 1: return 6;
  case 2: return 7;
  default: __builtin_unreachable();
  }
}
