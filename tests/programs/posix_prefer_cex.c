//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: a preference forbids nothing
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_posix_prefer_cex(&x, x == 3);
  if (x == 4)
    return 1;
  return 0;
}
