//@ paths: 2 completed, 0 errors
//@ test: i=2
//@ exit: 0
//@ native: i=0..9
//@ why: element 2 was hit or not; a write at an unknown place does not fork
#include <klee/klee.h>

int main(void) {
  int a[6] = {0};
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 6);
  a[i] = 9;
  if (a[2])
    return 1;
  return 0;
}
