//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: a silent exit is the end of a path like another
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 3)
    klee_silent_exit(1);
  return 0;
}
