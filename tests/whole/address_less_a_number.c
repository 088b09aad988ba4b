//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: whether an address less a number is 0 is whether it is that number
#include <stdint.h>
#include <stdlib.h>

static volatile uintptr_t number = 0x5555555592a0;

int main(void) {
  char *block = malloc(8);
  uintptr_t distance = (uintptr_t)block - number;
  free(block);
  if (distance)
    return 1;
  return 0;
}
