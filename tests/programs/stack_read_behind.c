//@ paths: 1 completed, 1 errors
//@ finding: ptr 12 outside
//@ exit: 1
//@ native: i=0..10
//@ why: five elements are inside, the rest is one error path
#include <klee/klee.h>

int main(void) {
  short a[5] = {1, 2, 3, 4, 5};
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  return a[i];
}
