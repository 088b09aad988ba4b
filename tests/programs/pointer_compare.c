//@ paths: 3 completed, 0 errors
//@ test: i=4
//@ exit: 0
//@ why: below, at, above the middle of one object
#include <klee/klee.h>

int main(void) {
  char a[8];
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 8);
  char *p = a + i, *middle = a + 4;
  if (p < middle)
    return 1;
  if (p == middle)
    return 2;
  return p - middle > 4 ? 3 : 4;
}
