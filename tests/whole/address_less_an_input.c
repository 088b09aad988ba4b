//@ exit: 2
//@ incomplete: address_less_an_input.c:12
//@ incomplete: address_less_an_input.c:18
//@ why: an input that may be as large as an address is taken from one, and the result is near its object under some models
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

char *block;

int main(void) {
  uint64_t n, m;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&m, sizeof m, "m");
  block = malloc(8);
  if ((uintptr_t)block - n == 0)
    return 1;
  if (((uintptr_t)block + m) >> 50 & 1)
    return 2;
  return 0;
}
