//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ why: cases with one target are one path: 1, 2, 5 and 6; 3; the rest
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int r = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 1:
  case 2:
  case 5:
  case 6: r = 1; break;
  case 3: r = 2; break;
  default: r = 3;
  }
  return r;
}
