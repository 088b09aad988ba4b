//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a number of 128 bits from a symbolic place may have an address in it
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned __int128 table[20];

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 20);
  *(char **)&table[7] = malloc(8);
  return (int)(table[index] >> 40) & 1;
}
