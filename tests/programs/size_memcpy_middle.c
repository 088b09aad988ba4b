//@ paths: 2 completed, 1 errors
//@ native: n=2..16 m=0..16
//@ finding: ptr 16 outside
//@ exit: 1
//@ why: behind the second byte there is room for two bytes less than the size
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char s[16] = "0123456789abcde";
  int n = klee_range(2, 17, "n");
  int m = klee_range(0, 17, "m");
  char *p = malloc(n);
  p[0] = p[1] = 'x';
  memcpy(p + 2, s, m);
  klee_assert(p[1] == 'x');
  if (m > 3)
    klee_assert(p[5] == '3');
  free(p);
  return 0;
}
