//@ paths: 2 completed, 0 errors
//@ run: --check uninit
//@ exit: 0
//@ native: no uninitialised memory is an input
//@ why: only the byte that was written counts
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned v, i = klee_range(0, 2, "i");
  ((unsigned char *)&v)[0] = 5;
  if ((v & 0xff) == 5 + i) return 1;
  return 0;
}
