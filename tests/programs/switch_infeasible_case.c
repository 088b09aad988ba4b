//@ paths: 2 completed, 0 errors
//@ test: x=7
//@ exit: 0
//@ why: x is 7 or 8; the cases 1 and 2 cannot be, 8 goes to the default
#include <klee/klee.h>

int main(void) {
  int x = klee_range(7, 9, "x");
  switch (x) {
  case 1: return 1;
  case 2: return 2;
  case 7: return 3;
  default: return 4;
  }
}
