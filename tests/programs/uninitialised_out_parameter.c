//@ paths: 3 completed, 0 errors
//@ run: --check uninit
//@ exit: 0
//@ native: no uninitialised memory is an input
//@ why: it is looked at only where the function says that it was written
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
static int get(int i, int *out) { if (i > 1) { *out = i; return 1; } return 0; }
int main(void) {
  int v, i = klee_range(0, 4, "i");
  if (get(i, &v) && v == 3) return 1;
  return 0;
}
