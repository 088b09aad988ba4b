//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: one of two pointers is an address, whichever it is
//@ run: -O1
#include <klee/klee.h>
#include <stdint.h>

static char first[40], second[40];

int main(void) {
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  char *chosen = which > 0 ? first : second;
  return (uintptr_t)chosen >> 20 == 7 ? 1 : 0;
}
