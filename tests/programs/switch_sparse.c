//@ paths: 4 completed, 0 errors
//@ test: x=0xffffffff
//@ test: x=1000000
//@ exit: 0
//@ why: three values far apart and the default
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  switch (x) {
  case -1: return 1;
  case 77: return 2;
  case 1000000: return 3;
  }
  return 0;
}
