//@ paths: 1 completed, 0 errors
//@ partial: assembly_reached.c:13: not supported: inline assembly
//@ exit: 2
//@ native: no natively it is no error
//@ why: assembly is not supported, and reached on one side; that is no error of the program
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int y = 1;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 17)
    __asm__ volatile("addl $1, %0" : "+r"(y));
  return y;
}
