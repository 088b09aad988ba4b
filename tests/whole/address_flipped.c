//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: address_flipped.c:9:
//@ why: an address with one of its low bits flipped is an address still, and a remainder of it a hash
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(16);
  uintptr_t flipped = (uintptr_t)block ^ 1;
  free(block);
  int hash = flipped % 61;
  return hash;
}
