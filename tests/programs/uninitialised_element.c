//@ paths: 2 completed, 1 errors
//@ finding: uninit 13 uninitialised
//@ run: --check uninit
//@ exit: 1
//@ native: no uninitialised memory is an input
//@ why: the last element was not written
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int a[4], i = klee_range(0, 4, "i");
  for (int k = 0; k < 3; k++) a[k] = k;
  if (a[i] == 2)
    return 1;
  return 0;
}
