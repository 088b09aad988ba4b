//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 null
//@ exit: 1
//@ why: no bytes can be copied from anywhere; with one byte or more it is an access by null
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned n;
  char to[4] = {0};
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 4);
  memcpy(to, (void *)0, n);
  return to[0];
}
