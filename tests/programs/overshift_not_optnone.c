//@ paths: 1 completed, 1 errors
//@ finding: overshift 12 shift
//@ run: --cc-flag -Xclang --cc-flag -disable-O0-optnone
//@ exit: 1
//@ why: code that may be optimised later was not yet
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  unsigned one = 1;
  return (one << n) == 3;
}
