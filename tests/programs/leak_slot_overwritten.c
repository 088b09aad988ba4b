//@ run: --check leak
//@ exit: 1
//@ finding: leak 10 heap
//@ paths: 1 completed, 1 errors
//@ why: the second object takes the place of the first where both inputs are the same
#include <klee/klee.h>
#include <stdlib.h>
static void *slots[8];
int main(void) {
  slots[klee_range(0, 8, "i")] = malloc(8);
  slots[klee_range(0, 8, "j")] = malloc(9);
  return 0;
}
