//@ paths: 0 completed, 0 errors
//@ partial: klee_assume is false for values that were chosen
//@ exit: 2
//@ why: the comparison was made on one value of d, so that nothing is known of the others
#include <klee/klee.h>

int main(void) {
  double d;
  klee_make_symbolic(&d, sizeof d, "d");
  klee_assume(d > 1.5);
  return 0;
}
