//@ paths: 2 completed, 0 errors
//@ test: n=6
//@ exit: 0
//@ why: the last byte is set only if all six are
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char a[6] = {0};
  int n = klee_range(0, 7, "n");
  memset(a, 1, n);
  if (a[5])
    return 1;
  return 0;
}
