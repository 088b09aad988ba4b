//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: a pointer cast away and back has its own type again
#include <klee/klee.h>

static int one(int a) { return a; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  void (*hidden)(void) = (void (*)(void))one;
  if (((int (*)(int))hidden)(x) == 3)
    return 1;
  return 0;
}
