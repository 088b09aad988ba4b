//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ why: falling from one case into the next is no choice; three cases and the rest
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int r = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 3: r++;
  case 2: r++;
  case 1: r++;
  }
  return r;
}
