//@ paths: 2 completed, 0 errors
//@ test: n=3
//@ exit: 0
//@ why: the last byte becomes c only if all three bytes are moved
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char a[4] = {'a', 'b', 'c', 'd'};
  int n = klee_range(0, 4, "n");
  memmove(a + 1, a, n);
  klee_assert(a[0] == 'a');
  if (a[3] == 'c')
    return 1;
  return 0;
}
