//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ native: no uninitialised memory is an input
//@ why: the local was never written: negative, 0, positive; read again it is the same
#include <klee/klee.h>

int main(void) {
  int x[1];
  if (x[0] < 0)
    return 1;
  if (x[0] == 0)
    return 2;
  klee_assert(x[0] > 0);
  return 3;
}
