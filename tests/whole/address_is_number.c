//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: whether an object is at a place that the program names depends on the layout
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  int found = (uintptr_t)block == 0x1234560;
  free(block);
  return found;
}
