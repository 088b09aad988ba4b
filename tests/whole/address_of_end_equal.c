//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: behind the last element of one object another one may begin
#include <klee/klee.h>
static int a[4], b[4];
int main(void) {
  int i = klee_range(0, 5, "i"), j = klee_range(0, 4, "j");
  int *p = &a[i], *q = &b[j];
  return p > 0 && p == q;
}
