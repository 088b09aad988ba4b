//@ paths: 3 completed, 0 errors
//@ run: --check uninit
//@ exit: 0
//@ native: no uninitialised memory is an input
//@ why: writing a bit-field copies the bits beside it, and nothing depends on them
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct f { unsigned a : 3, b : 5; };
int main(void) {
  struct f f;
  f.a = klee_range(0, 4, "a");
  if (f.a == 2) return 1;
  f.b = 3;
  if (f.b == 3 && f.a == 1) return 2;
  return 0;
}
