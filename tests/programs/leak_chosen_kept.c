//@ run: --check leak
//@ exit: 1
//@ finding: leak 12 heap
//@ finding: leak 13 heap
//@ paths: 0 completed, 2 errors
//@ why: which of two objects a global keeps is chosen by an input: each is lost for one of its values
#include <klee/klee.h>
#include <stdlib.h>
static void *keep;
int main(void) {
  void *table[2];
  table[0] = malloc(8);
  table[1] = malloc(9);
  keep = table[klee_range(0, 2, "i")];
  table[0] = table[1] = 0;
  return 0;
}
