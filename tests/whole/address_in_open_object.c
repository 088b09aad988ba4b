//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a pointer that is read at a symbolic index from an object of symbolic size is an address
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int x, y;

int main(void) {
  unsigned char n, i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  if (n < 2 || n > 8 || i > 1)
    return 0;
  int **t = malloc(n * sizeof *t);
  t[0] = &x;
  t[1] = &y;
  return ((uintptr_t)t[i] >> 12) & 1;
}
