//@ paths: 1 completed, 1 errors
//@ finding: assert 11 x != 42
//@ test: error x=42
//@ exit: 1
//@ why: one value fails
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  assert(x != 42);
  return 0;
}
