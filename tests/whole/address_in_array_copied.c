//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a byte of an address in the copy of an object that became an array, by way of realloc
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t table[40];

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 40);
  table[7] = (uintptr_t)malloc(8);
  table[index] = 5;
  uintptr_t *copy = malloc(sizeof table);
  memcpy(copy, table, sizeof table);
  copy = realloc(copy, 2 * sizeof table);
  return ((unsigned char *)copy)[57] > 0x55;
}
