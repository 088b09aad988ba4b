//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ native: x=0..300,65535,0x7fffffff
//@ why: a square is never 2 modulo 4, so the assertion has one outcome
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x = klee_int("x");
  assert(x * x % 4 != 2);
  return 0;
}
