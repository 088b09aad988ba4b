//@ paths: 1 completed, 1 errors
//@ finding: ptr 12 outside
//@ test: error n=9
//@ exit: 1
//@ why: 9 bytes do not fit
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char from[16] = "", to[8];
  int n = klee_range(4, 10, "n");
  memcpy(to, from, n);
  return 0;
}
