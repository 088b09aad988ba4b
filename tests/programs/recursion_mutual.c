//@ paths: 5 completed, 0 errors
//@ exit: 0
//@ why: n = 0..4, each ends at its own depth
#include <klee/klee.h>

static int odd(unsigned n);
static int even(unsigned n) {
  if (!n)
    return 1;
  return odd(n - 1);
}
static int odd(unsigned n) {
  if (!n)
    return 0;
  return even(n - 1);
}

int main(void) {
  unsigned n = klee_range(0, 5, "n");
  return even(n);
}
