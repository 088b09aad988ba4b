//@ paths: 1 completed, 0 errors
//@ run: --uninit zero
//@ exit: 0
//@ native: no uninitialised memory is an input
//@ why: by this policy memory that was never written is zero
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char *p = malloc(3);
  if (p[2])
    klee_abort();
  return 0;
}
