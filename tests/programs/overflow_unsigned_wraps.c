//@ paths: 2 completed, 0 errors
//@ run: --check overflow
//@ exit: 0
//@ why: unsigned arithmetic may wrap; the branch has two sides
#include <klee/klee.h>

int main(void) {
  unsigned x = klee_int("x");
  if (x + 10 < x)
    return 1;
  return 0;
}
