//@ paths: 1 completed, 1 errors
//@ finding: ptr 15 null
//@ test: error x=7
//@ exit: 1
//@ why: only for 7 the pointer stays null
#include <klee/klee.h>

int main(void) {
  int value = 3;
  int *p = 0;
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x != 7)
    p = &value;
  return *p;
}
