//@ paths: 3 completed, 1 errors
//@ finding: assert 16 a
//@ test: error i=0
//@ exit: 1
//@ native: objects
//@ why: four objects, one of which must not be written
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int *a = calloc(1, 4), *b = calloc(1, 4), *c = calloc(1, 4), *d = calloc(1, 4);
  int *table[4] = {a, b, c, d};
  int i = klee_range(0, 4, "i");
  *table[i] = 5;
  assert(*a == 0);
  return 0;
}
