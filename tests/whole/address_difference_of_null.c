//@ run: -O2
//@ exit: 0
//@ paths: 11 completed, 0 errors, 0 stopped
//@ why: the optimiser computes `p - table` before it knows that p is not null; what it compares with 3 elements then
//@ why: is an address less than 0, which is no distance in any layout
#include <klee/klee.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

int main(void) {
  static int table[] = {1, 3, 5, 7, 9};
  char c;
  klee_make_symbolic(&c, sizeof c, "c");
  int key = c;
  int *p = bsearch(&key, table, 5, sizeof *table, compare);
  return p && p - table == 3;
}
