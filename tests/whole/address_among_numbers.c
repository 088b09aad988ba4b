//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: what is read from the table may be an address, although it is a number under the first model
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static uintptr_t table[4] = {1, 2, 3, 4};

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 4);
  table[2] = (uintptr_t)malloc(8);
  return (table[index] >> 16) & 1;
}
