//@ paths: 0 completed, 1 errors
//@ finding: ptr 12 outside
//@ exit: 1
//@ native: no natively a whole page is there
//@ why: the object ends before
#include <klee/klee.h>

int main(void) {
  klee_define_fixed_object((void *)0x10000000, 8);
  volatile unsigned char *port = (unsigned char *)0x10000000;
  port[0] = 1;
  port[8] = 1;
  return 0;
}
