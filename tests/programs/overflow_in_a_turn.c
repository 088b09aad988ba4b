//@ paths: 5 completed, 1 errors
//@ finding: overflow 12 overflow
//@ run: --check overflow
//@ exit: 1
//@ why: the fifth turn overflows
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int n = klee_range(0, 8, "n"), s = 1;
  for (int i = 0; i < n; i++)
    s *= 100;
  return s == 5;
}
