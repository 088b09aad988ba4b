//@ run: -O2
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: above an address is nothing, above its sum with a large number something that depends on it
#include <stdint.h>
#include <stdlib.h>

static volatile uintptr_t number = 0x7fffaaaa00000000;

int main(void) {
  char *block = malloc(8);
  int is_negative = (intptr_t)((uintptr_t)block + number) < 0;
  free(block);
  return is_negative;
}
