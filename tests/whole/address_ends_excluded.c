//@ exit: 0
//@ why: the table has the end of an object, which the input does not choose
#include <klee/klee.h>
static int a[4], b[4], c[4];
static int *table[3] = {a, b + 4, b};
int main(void) {
  int i = klee_range(0, 3, "i");
  if (i == 1)
    return 0;
  return table[i] == c;
}
