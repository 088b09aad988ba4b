//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: malloc aligns to 16, and to more by chance only
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  int aligned = ((uintptr_t)block & 32) == 0;
  free(block);
  return aligned;
}
