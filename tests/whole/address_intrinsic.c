//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: how many bits of an address are set
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  int count = __builtin_popcountl((uintptr_t)block);
  free(block);
  return count;
}
