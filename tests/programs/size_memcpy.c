//@ paths: 2 completed, 0 errors
//@ native: n=0..16 s=[0,97]
//@ exit: 0
//@ why: the copy of as many bytes as the object has is right for every size; then one jump
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  int n = klee_range(0, 5, "n");
  char *p = malloc(n);
  memcpy(p, s, n);
  if (n > 2)
    klee_assert(p[2] == s[2]);
  free(p);
  return 0;
}
