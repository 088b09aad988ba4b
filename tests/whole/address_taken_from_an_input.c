//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: an input less an address
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  uintptr_t n = klee_range(0, 100, "n");
  char *block = malloc(8);
  return (n - (uintptr_t)block) >> 14 & 1;
}
