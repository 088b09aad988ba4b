//@ paths: 1 completed, 0 errors
//@ run: --check leak
//@ exit: 0
//@ why: what is kept in an object of any size is not lost
#include <klee/klee.h>
#include <stdlib.h>

static void **table;

int main(void) {
  int n = klee_range(3, 60, "n");
  table = malloc(n * sizeof *table);
  table[n - 1] = malloc(4);
  table[1] = malloc(n);
  return 0;
}
