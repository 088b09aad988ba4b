//@ paths: 2 completed, 1 errors
//@ finding: ptr 14 end
//@ exit: 1
//@ native: no the length depends on the input
//@ why: an array of variable length is a new one in each turn
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int n = klee_range(1, 4, "n"), *p = 0, s = 0;
  for (int i = 1; i <= n; i++) {
    int v[i];
    v[i - 1] = i;
    if (i == 3) s += *p;
    p = v;
    s += v[i - 1];
  }
  return s > 99;
}
