//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: byte-loops s=[0,1,2]
//@ why: the length is 0, 1, 2 or 3; nothing else forks
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  return strlen(s);
}
