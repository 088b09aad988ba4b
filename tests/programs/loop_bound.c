//@ paths: 6 completed, 0 errors
//@ test: n=3
//@ exit: 0
//@ why: a path for every number of rounds 0..5
#include <klee/klee.h>

int main(void) {
  int n = klee_range(0, 6, "n"), sum = 0;
  for (int i = 0; i < n; i++)
    sum += i;
  return sum;
}
