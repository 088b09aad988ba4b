//@ paths: 1 completed, 2 errors
//@ finding: overshift 12 shift
//@ finding: overshift 13 shift
//@ exit: 1
//@ why: amounts are bit-fields: 32, and negative ones
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct f { int n : 4; unsigned m : 6; };
int main(void) {
  struct f f = { klee_range(-2, 3, "n"), klee_range(30, 33, "m") };
  if (f.n >= 0) return 1u >> f.m;
  return 3 << f.n;
}
