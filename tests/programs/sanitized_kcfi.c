//@ paths: 1 completed, 1 errors
//@ finding: exec 18 function type mismatch
//@ run: --cc-flag -fsanitize=kcfi
//@ exit: 1
//@ native: no sanitiser of the library has this check
//@ why: a call says which type its callee must have been compiled with; calls of the same number of words pass otherwise
#include <klee/klee.h>

static int number(long a) { return (int)a; }
static int pointer(void *a) { return a != 0; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int (*f)(long) = number;
  if (x > 9)
    f = (int (*)(long))pointer;
  return f(1) - 1;
}
