//@ paths: 1 completed, 2 errors
//@ finding: div 17 zero
//@ exit: 1
//@ why: two paths divide by zero at one place, which is one finding; the rest has y = 1 or 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int y = 0;
  if (x < 10)
    y = x >> 7;
  else if (x < 20)
    y = 0;
  else
    y = 1 + (x & 1);
  return 100 / y;
}
