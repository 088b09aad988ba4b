//@ finding: ptr 12 outside
//@ exit: 1
//@ native: s=[0,65]
//@ why: 4 letters and the end do not fit into 4 bytes; shorter ones do
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[5], to[4];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(s[4] == 0);
  strcpy(to, s);
  return 0;
}
