//@ paths: 1 completed, 0 errors
//@ partial: undefined_function.c:14: not_defined_anywhere is not defined
//@ exit: 2
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
