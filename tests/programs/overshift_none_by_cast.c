//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the program itself makes the amount narrower
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned long n;
  klee_make_symbolic(&n, sizeof n, "n");
  if (n != 0x100000001L)
    return 0;
  return (1u << (int)n) != 2;
}
