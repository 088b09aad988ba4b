//@ exit: 2
//@ incomplete: address_less_from_input.c:15
//@ why: the inputs of one path are twice the address that the block has here: less the address they are near it, and in
//@ why: another layout null
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  uint64_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  // Everything that the heap of the model begins with.
  if (n < 0xa0000000000 || n > 0xa0000000008)
    return 0;
  char *block = malloc(8);
  uintptr_t less = n - (uintptr_t)block;
  if (less)
    return 1;
  return 2;
}
