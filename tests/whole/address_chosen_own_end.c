//@ exit: 0
//@ why: where a chosen object ends is compared with places in the same object
#include <klee/klee.h>
static int a[4], b[4];
static int *table[2] = {a, b};
int main(void) {
  int i = klee_range(0, 2, "i"), j = klee_range(0, 4, "j");
  int *p = table[i], *end = p + 4, n = 0;
  for (int *q = p; q != end; q++)
    n++;
  p += j;
  n += p == table[i] + 4;
  return n != 4;
}
