//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: the low bits of an aligned address are those of every layout, also of a difference of two halves
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(16);
  uintptr_t third = (uintptr_t)block + 3;
  int flipped = ((third ^ 2) & 3) == 1;
  uint32_t low = (uint32_t)(uintptr_t)block;
  uint32_t high = (uint32_t)((uintptr_t)block + 13);
  int apart = (high - low) & 7;
  free(block);
  return flipped && apart == 5 ? 0 : 1;
}
