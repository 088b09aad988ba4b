//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: the table is an array after the write at a symbolic offset, and still holds an address, of a block that is freed
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static uintptr_t table[40];

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 40);
  char *block = malloc(8);
  table[7] = (uintptr_t)block;
  free(block);
  table[index] = 5;
  return table[7] > 0x555500000000;
}
