//@ paths: 1 completed, 1 errors
//@ finding: ptr 17 null
//@ test: error x=0
//@ exit: 1
//@ native: no the sanitiser has no place for a jump to nowhere
//@ why: a null function pointer is called on one side
#include <klee/klee.h>

static int one(void) { return 1; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int (*f)(void) = 0;
  if (x)
    f = one;
  return f();
}
