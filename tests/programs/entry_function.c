//@ paths: 2 completed, 0 errors
//@ run: --entry other
//@ exit: 0
//@ native: no it starts at another function
//@ why: the run starts at the function that was named, where nothing fails
#include <klee/klee.h>

int other(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 1)
    return 1;
  return 0;
}

int main(void) {
  klee_abort();
}
