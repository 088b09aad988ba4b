//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a byte that is read at a symbolic offset may be an address's
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static uintptr_t table[4] = {1, 2, 3, 4};

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < sizeof table);
  table[2] = (uintptr_t)malloc(8);
  return ((unsigned char *)table)[index] > 0x50;
}
