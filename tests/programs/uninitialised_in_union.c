//@ paths: 2 completed, 1 errors
//@ finding: uninit 15 uninitialised
//@ run: --check uninit
//@ exit: 1
//@ native: no uninitialised memory is an input
//@ why: half of a union was written
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
union u { int i; short s[2]; };
int main(void) {
  union u u;
  int k = klee_range(0, 2, "k");
  u.s[0] = 1;
  if (u.s[k] == 1)
    return 1;
  return 0;
}
