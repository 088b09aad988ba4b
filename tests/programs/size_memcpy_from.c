//@ paths: 1 completed, 1 errors
//@ native: n=0..16 m=0..16
//@ finding: ptr 16 outside
//@ exit: 1
//@ why: as many bytes can be read as there are
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char room[64];
  int n = klee_range(0, 17, "n");
  int m = klee_range(0, 17, "m");
  char *p = malloc(n);
  memset(p, 1, n);
  memcpy(room, p, m);
  free(p);
  return 0;
}
