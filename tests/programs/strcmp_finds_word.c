//@ finding: abort 15 abort
//@ test: error s=0x00796b63
//@ exit: 1
//@ native: s=[0,99,107,121]
//@ why: one string is equal; how strcmp compares is its own affair, so paths are not counted
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(s[3] == 0);
  if (strcmp(s, "cky") == 0)
    abort();
  return 0;
}
