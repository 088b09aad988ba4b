//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: address_less_from_number.c:9
//@ why: a number that is larger than any length less an address, and less another address of the same object
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  volatile uintptr_t number = 1ul << 40, less;
  char *block = malloc(8);
  less = number - (uintptr_t)block;
  return (less - (uintptr_t)(block + 1)) >> 14 & 1;
}
