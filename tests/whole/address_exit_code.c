//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: the exit code is a part of an address
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  int low = (int)(uintptr_t)block;
  free(block);
  return low;
}
