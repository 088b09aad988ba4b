//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: address_outside_equal.c:10:13: an address is used as a number
//@ incomplete: address_outside_equal.c:14:18: an address is used as a number
//@ why: what is outside of an object may be where another is; what is inside of one is not inside of another
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(40), *q = malloc(40);
  // How far they are apart is a matter of the heap.
  if ((uintptr_t)p + 48 == (uintptr_t)q)
    return 1;
  if ((uintptr_t)q - 48 == (uintptr_t)p)
    return 2;
  return p + 39 == q;
}
