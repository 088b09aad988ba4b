//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: a pointer that may be null, less an address
#include <klee/klee.h>
#include <stdint.h>

int a[4];
int *t[2] = {a, 0};

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 2);
  // Nothing, or a number that depends on where the array is.
  uintptr_t distance = (uintptr_t)t[i] - (uintptr_t)a;
  return distance >> 12 & 1;
}
