//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: how far two blocks are from each other is one of many distances
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *first = malloc(16);
  char *second = malloc(16);
  uint32_t low = (uint32_t)(uintptr_t)first;
  uint32_t high = (uint32_t)(uintptr_t)second;
  uint32_t apart = high - low;
  free(first);
  free(second);
  return (apart & 0xff) == 0x20;
}
