//@ run: --check leak
//@ exit: 0
//@ paths: 1 completed, 0 errors
//@ native: no paths of its own: the choice is no branch
//@ why: whichever slot an object is put in, it is kept
#include <klee/klee.h>
#include <stdlib.h>
static void *slots[16];
int main(void) {
  slots[klee_range(0, 16, "i")] = malloc(8);
  return 0;
}
