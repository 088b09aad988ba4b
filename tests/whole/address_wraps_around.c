//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: an address less a number is above the address if it is less than the number
#include <stdint.h>
#include <stdlib.h>

static volatile uintptr_t number = 0x555500000000;

int main(void) {
  char *block = malloc(8);
  uintptr_t address = (uintptr_t)block;
  int below = address - number > address;
  free(block);
  return below;
}
