//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: x=0..9 y=0..9
//@ why: made symbolic again, the object is a new input, so its second branch is free
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int r = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 5)
    r += 1;
  klee_make_symbolic(&x, sizeof x, "y");
  if (x == 5)
    r += 2;
  return r;
}
