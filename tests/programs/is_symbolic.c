//@ paths: 2 completed, 0 errors
//@ partial: klee_is_symbolic
//@ exit: 2
//@ native: no it is about what is symbolic
//@ why: known values, also on the side where x is fixed by the program, are not symbolic; the branch has two sides;
//@ why: the program by itself has nothing that is symbolic, so its second assertion would fail there
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int known = 3;
  klee_assert(!klee_is_symbolic(known));
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assert(klee_is_symbolic(x));
  if (x < 9) {
    x = 4;
    klee_assert(!klee_is_symbolic(x));
  }
  return 0;
}
