//@ paths: 3 completed, 0 errors
//@ test: x=0x80
//@ exit: 0
//@ why: -128, other negative ones, the rest
#include <klee/klee.h>

int main(void) {
  signed char x;
  klee_make_symbolic(&x, sizeof x, "x");
  long wide = x;
  if (wide >= 0)
    return 1;
  if ((unsigned char)x == 128)
    klee_assert(wide == -128);
  return 0;
}
