//@ paths: 1 completed, 1 errors
//@ finding: overshift 13 shift
//@ exit: 1
//@ why: in the 32 bits of what is shifted the amount is 1
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  long n;
  klee_make_symbolic(&n, sizeof n, "n");
  if (n != 0x100000001L)
    return 0;
  return 1 << n;
}
