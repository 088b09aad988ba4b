//@ paths: 1 completed, 1 errors
//@ finding: overshift 10 shift
//@ exit: 1
//@ why: amounts up to 31 are one path, those up to 255 the error
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  return (1u << n) == 0;
}
