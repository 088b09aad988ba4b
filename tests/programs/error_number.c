//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: what was stored is what is read
#include <errno.h>
#include <klee/klee.h>

int main(void) {
  errno = 12;
  klee_assert(klee_get_errno() == 12);
  return 0;
}
