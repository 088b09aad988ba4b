//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ why: dup3 of a descriptor that is not open fails in another way if it is the new one
#include <errno.h>
#include <klee/klee.h>

int dup3(int, int, int);

int main(void) {
  int old;
  klee_make_symbolic(&old, sizeof old, "old");
  klee_assume(old > 2);
  int got = dup3(old, 7, 0);
  klee_assert(got == -1 && errno == (old == 7 ? EINVAL : EBADF));
  return 0;
}
