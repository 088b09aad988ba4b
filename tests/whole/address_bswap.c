//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: the bytes of an address in their other order
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  uint64_t other = __builtin_bswap64((uintptr_t)block);
  free(block);
  return other == 5;
}
