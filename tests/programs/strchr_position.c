//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: byte-loops s=[0,47,65]
//@ why: found at 0, 1 or 2, or not at all; no byte can be the end, so the letter is the only question
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume((s[0] != 0) & (s[1] != 0) & (s[2] != 0) & (s[3] == 0));
  char *at = strchr(s, '/');
  return at ? at - s : 9;
}
