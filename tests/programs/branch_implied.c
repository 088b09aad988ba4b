//@ paths: 3 completed, 0 errors
//@ test: x=10
//@ exit: 0
//@ why: below 10, at 10, above 10: the second branch has one side where the first was taken
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 10)
    return 1;
  if (x < 11)
    return 2;
  if (x > 10)
    return 3;
  return 4;
}
