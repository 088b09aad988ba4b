//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: without merging switched on, both sides go their way
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int y = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_open_merge();
  if (x > 9)
    y = 1;
  klee_close_merge();
  return y;
}
