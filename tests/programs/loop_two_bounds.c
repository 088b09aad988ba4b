//@ paths: 10 completed, 0 errors
//@ exit: 0
//@ why: without a round of the outer loop m does not matter; n = 1, 2, 3 with m = 0, 1, 2 each: 1 + 3 * 3
#include <klee/klee.h>

int main(void) {
  int n = klee_range(0, 4, "n"), m = klee_range(0, 3, "m"), sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum++;
  return sum;
}
