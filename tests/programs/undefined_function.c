//@ paths: 1 completed, 1 errors
//@ finding: external 14 not_defined_anywhere
//@ exit: 1
//@ native: no it does not link
//@ why: one side calls a function that nobody has
#include <klee/klee.h>

int not_defined_anywhere(int);

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 5)
    return not_defined_anywhere(x);
  return 0;
}
