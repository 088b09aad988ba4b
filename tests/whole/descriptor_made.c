//@ exit: 2
//@ paths: 12 completed, 0 errors, 0 stopped
//@ incomplete: the number of a new descriptor (dup2) got one value
//@ why: the new number is an open one, a free one that gets a value, or beyond the limit
#include <errno.h>
#include <klee/klee.h>
#include <unistd.h>

int dup3(int, int, int);

int main(void) {
  int old = 1, new;
  klee_make_symbolic(&new, sizeof new, "new");
  if (klee_range(0, 2, "three")) {
    int got = dup3(old, new, 0);
    if (new == old)
      klee_assert(got == -1 && errno == EINVAL);
    else
      klee_assert(got == -1 ? errno == EBADF && (new < 0 || new >= 1000) : got == new);
    return 0;
  }
  int got = dup2(old, new);
  klee_assert(got == -1 ? errno == EBADF && (new < 0 || new >= 1000) : got == new);
  return 0;
}
