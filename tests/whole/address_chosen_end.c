//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a chosen pointer and an offset lead to the end of one object, where another may begin
#include <klee/klee.h>
static int a[4], b[4];
static int *table[2] = {a, b};
int main(void) {
  int i = klee_range(0, 2, "i"), j = klee_range(0, 5, "j");
  int *p = table[i] + j;
  return p == b;
}
