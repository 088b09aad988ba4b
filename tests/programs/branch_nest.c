//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: x=0..20,255 y=0..20,255
//@ why: two independent branches, each with two sides
#include <klee/klee.h>

int main(void) {
  unsigned char x, y;
  int sum = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  if (x > 10)
    sum++;
  if (y > 10)
    sum++;
  return sum;
}
