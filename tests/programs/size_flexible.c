//@ paths: 5 completed, 1 errors
//@ finding: ptr 21 outside
//@ test: error n=4
//@ exit: 1
//@ why: a path for each number of turns; one of them asks for one element too many
#include <klee/klee.h>
#include <stdlib.h>

struct list {
  long count;
  int items[];
};

int main(void) {
  int n = klee_range(0, 6, "n");
  struct list *list = malloc(sizeof *list + n * sizeof(int));
  list->count = n;
  for (int i = 0; i < list->count; i++)
    list->items[i] = i;
  if (n == 4)
    list->items[4] = 4;
  free(list);
  return 0;
}
