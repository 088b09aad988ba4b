//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: the table has the end of an object
#include <klee/klee.h>
static int a[4], b[4], c[4];
static int *table[3] = {a, b + 4, b};
int main(void) {
  int i = klee_range(0, 3, "i");
  return table[i] == c;
}
