//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: memory at a fixed address keeps what is written; one branch
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_define_fixed_object((void *)0x10000000, 8);
  volatile unsigned char *port = (unsigned char *)0x10000000;
  klee_make_symbolic(&x, sizeof x, "x");
  port[7] = x;
  if (port[7] == 9)
    return 1;
  return 0;
}
