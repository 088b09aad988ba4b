//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a row that is copied from a symbolic place, and one to such a place, hold an address
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

struct Row {
  long key;
  char *name;
};

static struct Row table[20], others[20];

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 20);
  table[3].name = malloc(8);
  struct Row row = table[index];
  others[index] = row;
  return (uintptr_t)others[5].name > 0x555500000000;
}
