//@ paths: 2 completed, 0 errors
//@ partial: pointer_through_integer.c:9:3: an address is used as a number
//@ exit: 2
//@ native: x=[0,7,9]
//@ why: a pointer survives its way through an integer; the branch on the byte it reads has two sides. What exclusive or makes of it in between is a number that another layout has otherwise, and nothing says that it comes back
#include <klee/klee.h>

int main(void) {
  unsigned char x[3];
  klee_make_symbolic(x, sizeof x, "x");
  uintptr_t number = (uintptr_t)x;
  number ^= 0x5555;
  number ^= 0x5555;
  if (((unsigned char *)number)[2] == 7)
    return 1;
  return 0;
}
