//@ paths: 3 completed, 0 errors
//@ test: r=0xfffffffd
//@ exit: 0
//@ native: n=-9..9
//@ why: r is -3..-2; for -3 the program ends, for -2 n has a sign
#include <klee/klee.h>

int main(void) {
  int r = klee_range(-3, -1, "r");
  int n = klee_int("n");
  if (r == -3)
    return 0;
  if (n < 0)
    return 1;
  return 2;
}
