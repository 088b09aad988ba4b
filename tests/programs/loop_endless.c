//@ partial: max-instructions
//@ run: --max-instructions 20000
//@ exit: 2
//@ native: no it does not end
//@ why: one of two paths does not end
#include <klee/klee.h>

int main(void) {
  volatile int spin = 1;
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 1)
    while (spin)
      ;
  return 0;
}
