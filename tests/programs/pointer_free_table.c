//@ paths: 2 completed, 1 errors
//@ finding: ptr 16 ended
//@ test: error i=1
//@ exit: 1
//@ native: objects
//@ why: one of three objects is freed, a path each; the second is used afterwards
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *table[3];
  for (int i = 0; i < 3; i++)
    table[i] = calloc(1, 1);
  int i = klee_range(0, 3, "i");
  free(table[i]);
  return *table[1];
}
