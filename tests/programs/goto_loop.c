//@ paths: 3 completed, 1 errors
//@ finding: abort 14 abort
//@ exit: 1
//@ why: x = 0, 1, 2 leave by their number of rounds, 3 reaches the third round
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int x = klee_range(0, 4, "x"), rounds = 0;
again:
  if (x == rounds)
    return rounds;
  if (++rounds == 3)
    abort();
  goto again;
}
