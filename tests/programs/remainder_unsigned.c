//@ paths: 2 completed, 1 errors
//@ finding: div 10 zero
//@ test: error y=16
//@ exit: 1
//@ why: y - 16 is zero for one y; even and odd remainders are paths
#include <klee/klee.h>

int main(void) {
  unsigned y = klee_range(0, 64, "y");
  if (1000 % (y - 16) & 1)
    return 1;
  return 0;
}
