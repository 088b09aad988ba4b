//@ paths: 6 completed, 0 errors
//@ exit: 0
//@ why: one path for each number of turns
#include <klee/klee.h>

static int sum(int n) {
  int a[n];
  int all = 0;
  for (int i = 0; i < n; i++)
    a[i] = i;
  for (int i = 0; i < n; i++)
    all += a[i];
  return all;
}

int main(void) {
  int n = klee_range(1, 7, "n");
  klee_assert(2 * sum(n) == n * (n - 1));
  return 0;
}
