//@ paths: 1 completed, 1 errors
//@ finding: overshift 12 shift
//@ run: --cc-flag -O2
//@ exit: 1
//@ why: optimised code keeps the check of the amount
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  unsigned one = 1;
  return (one << n) == 3;
}
