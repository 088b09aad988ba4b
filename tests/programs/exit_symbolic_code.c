//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the code of exit is no branch; only the comparison is
//@ native: no the code differs from run to run
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 5)
    exit(x & 15);
  return x & 3;
}
