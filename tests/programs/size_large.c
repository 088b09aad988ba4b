//@ partial: more bytes than may be symbolic
//@ native: no sizes above the limit are given one value
//@ exit: 2
//@ why: small sizes are one path, larger ones are one with one value, which is said
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 1000000, "n");
  char *p = malloc(n);
  p[0] = 1;
  free(p);
  return 0;
}
