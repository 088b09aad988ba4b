//@ exit: 0
//@ why: one of two sums, each inside of its object
#include <klee/klee.h>
static int a[4], b[4], c[70];
int main(void) {
  int *all[70];
  int i = klee_range(0, 4, "i"), w = klee_range(0, 2, "w"), n = 0;
  int *p = w ? &a[i] : &b[3 - i];
  for (int k = 0; k < 70; k++)
    all[k] = &c[k];
  n += p == all[i] || p == &b[2] + w;
  return n > 3;
}
