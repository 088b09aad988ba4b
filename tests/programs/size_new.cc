//@ paths: 5 completed, 1 errors
//@ finding: ptr 14 outside
//@ test: error n=6
//@ exit: 1
//@ why: a path for each number of turns, of which the largest is followed by one access behind
#include <klee/klee.h>

int main() {
  int n = klee_range(1, 7, "n");
  short *p = new short[n];
  for (int i = 0; i < n; i++)
    p[i] = i;
  if (n == 6)
    p[6] = 1;
  delete[] p;
  return 0;
}
