//@ paths: 5 completed, 0 errors
//@ test: x=3
//@ exit: 0
//@ why: four cases and the default
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 0: return 10;
  case 1: return 20;
  case 2: return 30;
  case 3: return 40;
  default: return 0;
  }
}
