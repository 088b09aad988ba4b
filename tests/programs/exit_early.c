//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ why: exit is the end of a path like another, also with a status that is not 0
#include <klee/klee.h>
#include <stdlib.h>

static void check(int x) {
  if (x > 200)
    exit(3);
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  check(x);
  if (x > 100)
    exit(0);
  return 1;
}
