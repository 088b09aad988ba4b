//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is printed
//@ why: the bytes that are written are an array's, of which some are an address's
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static uintptr_t table[40];

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 40);
  table[index] = (uintptr_t)malloc(8);
  write(1, table, sizeof table);
  return 0;
}
