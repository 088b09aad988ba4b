//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ why: 0, 1 or 2; the last test is decided
#include <klee/klee.h>

int main(void) {
  uintptr_t c = klee_choose(3);
  if (c == 0)
    return 10;
  if (c == 1)
    return 11;
  if (c == 2)
    return 12;
  klee_abort();
}
