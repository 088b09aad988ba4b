//@ paths: 1 completed, 1 errors
//@ finding: overflow 10 overflow
//@ run: --check overflow
//@ exit: 1
//@ why: the difference is out of range or not
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x"), y = klee_int("y");
  return (x - y) >> 31;
}
