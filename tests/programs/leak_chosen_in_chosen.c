//@ run: --check leak
//@ exit: 1
//@ finding: leak 15 heap
//@ finding: leak 16 heap
//@ finding: leak 17 heap
//@ why: a chosen box holds a chosen object: the three boxes and objects are lost together or alone
#include <klee/klee.h>
#include <stdlib.h>
static void **keep;
int main(void) {
  void *inner[2];
  void **boxes[2];
  int i = klee_range(0, 2, "i"), j = klee_range(0, 2, "j");
  for (int k = 0; k < 2; k++)
    inner[k] = malloc(8);
  boxes[0] = malloc(sizeof(void *));
  boxes[1] = malloc(sizeof(void *));
  *boxes[0] = inner[j];
  *boxes[1] = inner[0];
  keep = boxes[i];
  inner[0] = inner[1] = boxes[0] = boxes[1] = 0;
  return 0;
}
