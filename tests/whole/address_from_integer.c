//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a pointer that was made from an integer is an address all the same
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  char *again = (char *)((uintptr_t)block + 1);
  int bucket = (uintptr_t)again % 61;
  free(block);
  return bucket;
}
