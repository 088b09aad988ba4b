//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: floats that depend on no input are computed; the only branch on an input has two sides
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  double sum = 0;
  for (int i = 1; i <= 4; i++)
    sum += 1.0 / i;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > (int)(sum * 12))
    return 1;
  return 2;
}
