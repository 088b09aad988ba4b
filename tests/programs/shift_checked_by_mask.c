//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the amount is below 32 whatever n is; bit 3 is hit or not
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  unsigned bit = 1u << (n & 31);
  if (bit & 8)
    return 1;
  return 0;
}
