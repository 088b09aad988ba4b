//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a pointer that is read from a table at a symbolic index is an address
#include <klee/klee.h>
#include <stdint.h>

static int numbers[3];
static int *table[3] = {&numbers[0], &numbers[1], &numbers[2]};

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 3);
  unsigned long bucket = (uintptr_t)table[index] % 61;
  if (bucket == 1)
    return 1;
  if (bucket == 5)
    return 2;
  return 0;
}
