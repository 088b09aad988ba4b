//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a write at a symbolic index leaves the other pointers of an object of symbolic size addresses
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int x;

int main(void) {
  unsigned char n, i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  if (n < 3 || n > 8 || i > 2)
    return 0;
  uintptr_t *t = malloc(n * sizeof *t);
  t[1] = t[2] = 0;
  t[0] = (uintptr_t)&x;
  t[i] = 5;
  if (t[0] == 5)
    return 0;
  return t[0] >> 12 & 1;
}
