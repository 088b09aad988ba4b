//@ paths: 2 completed, 1 errors
//@ finding: uninit 13 uninitialised
//@ run: --check uninit
//@ exit: 1
//@ native: no uninitialised memory is an input
//@ why: written on all paths but one
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int i = klee_range(0, 3, "i"), v;
  if (i) v = i;
  if (v == 2)
    return 1;
  return 0;
}
