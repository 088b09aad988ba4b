//@ paths: 1 completed, 1 errors
//@ finding: exec 13 assembly
//@ exit: 1
//@ native: no natively it is no error
//@ why: assembly is not supported, and reached on one side
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int y = 1;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 17)
    __asm__ volatile("addl $1, %0" : "+r"(y));
  return y;
}
