//@ paths: 1 completed, 1 errors
//@ native: n=1..12 i=0..11
//@ finding: ptr 15 outside
//@ exit: 1
//@ why: an address that is read at a symbolic index has lost its object; it is found by its value
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n = klee_range(1, 13, "n");
  int i = klee_range(0, 12, "i");
  char *kept[2] = {0, 0};
  kept[n & 1] = malloc(n);
  char *p = kept[n & 1];
  p[i] = 1;
  return 0;
}
