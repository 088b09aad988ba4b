//@ run: --check leak
//@ exit: 1
//@ finding: leak 11 heap
//@ paths: 1 completed, 1 errors
//@ why: the object is kept unless the input chooses null
#include <klee/klee.h>
#include <stdlib.h>
static void *keep;
int main(void) {
  void *table[3];
  table[0] = malloc(8);
  table[1] = table[0];
  table[2] = 0;
  keep = table[klee_range(0, 3, "i")];
  return 0;
}
