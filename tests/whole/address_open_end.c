//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: the end of an object of symbolic size is compared with another object
#include <klee/klee.h>
#include <stdlib.h>
static char other[4];
int main(void) {
  unsigned n = klee_range(1, 9, "n");
  char *p = malloc(n);
  char *q = klee_range(0, 2, "i") ? p + n : p;
  return q == other;
}
