//@ paths: 1 completed, 1 errors
//@ finding: readonly 13 constant
//@ exit: 1
//@ why: one path only reads the constant
#include <klee/klee.h>

static const int limits[3] = {10, 20, 30};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 200)
    *(int *)&limits[1] = x;
  return limits[1];
}
