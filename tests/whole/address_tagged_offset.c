//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: an address at an unknown offset with a tag above it, and its order with a number that has the same tag
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  unsigned i = klee_range(0, 8, "i");
  char *b = malloc(8);
  uintptr_t tag = 1ul << 48, limit = tag | 0x7ff000000000;
  uintptr_t tagged = (uintptr_t)(b + i) | tag;
  return tagged < limit;
}
