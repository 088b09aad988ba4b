//@ paths: 5 completed, 0 errors
//@ exit: 0
//@ why: the condition holds by ab, or by c where not ab (a=0 or b=0 each), and fails twice: 1 + 2 + 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int a = x & 1, b = x & 2, c = x & 4;
  if ((a && b) || c)
    return 1;
  return 0;
}
