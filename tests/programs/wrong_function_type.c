//@ paths: 1 completed, 1 errors
//@ finding: exec 16 function type
//@ exit: 1
//@ why: one of two functions takes another number of arguments than the call passes
#include <klee/klee.h>

static int one(int a) { return a; }
static int two(int a, int b) { return a + b; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int (*f)(int) = one;
  if (x > 9)
    f = (int (*)(int))two;
  return f(1);
}
