//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: where an object was that has ended, another may be
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  int i = klee_range(0, 2, "i");
  char *a = malloc(8), *b = malloc(8);
  char *t[2] = {a, b};
  free(b);
  char *c = malloc(8);
  int same = t[i] == c;
  free(c);
  free(a);
  return same;
}
