//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: an address in a number of 128 bits
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  unsigned __int128 number = (uintptr_t)block;
  number *= number;
  free(block);
  return (int)(number >> 80) & 1;
}
