//@ paths: 4 completed, 1 errors
//@ finding: abort 22 abort
//@ exit: 1
//@ native: s=[0,97,98,99]
//@ why: the first difference is at byte 0, 1, 2 or 3, or there is none
#include <klee/klee.h>
#include <stdlib.h>

static int same(const char *a, const char *b) {
  while (*a == *b) {
    if (*b == 0)
      return 1;
    a++, b++;
  }
  return 0;
}

int main(void) {
  char s[5];
  klee_make_symbolic(s, sizeof s, "s");
  if (same(s, "abc"))
    abort();
  return 0;
}
