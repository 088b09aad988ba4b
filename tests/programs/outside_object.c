//@ run: --outside object
//@ paths: 3 completed, 1 errors
//@ finding: ptr 20 outside
//@ native: no: which object an index reaches is a matter of the layout
//@ why: a, b or c at the index, or none of them; the objects differ in what they hold
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  int *a = malloc(16), *b = malloc(16), *c = malloc(16);
  for (int k = 0; k < 4; k++) {
    a[k] = 1;
    b[k] = 2;
    c[k] = 3;
  }
  int64_t i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume((i >= -40) & (i <= 40));
  int v = a[i];
  return v == 1 ? 10 : v == 2 ? 20 : v;
}
