//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: only five bits of the amount are left
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned long n;
  klee_make_symbolic(&n, sizeof n, "n");
  return 1u << (n & 31);
}
