//@ paths: 1 completed, 1 errors
//@ finding: readonly 15 constant
//@ test: error x=0
//@ exit: 1
//@ why: the string literal is written only if the copy was not made
#include <klee/klee.h>

int main(void) {
  char copy[6] = "hello";
  char *text = "hello";
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x)
    text = copy;
  text[0] = 'j';
  return 0;
}
