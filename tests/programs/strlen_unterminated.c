//@ paths: 4 completed, 1 errors
//@ finding: ptr 12 outside
//@ exit: 1
//@ native: byte-loops s=[0,1,2]
//@ why: the finding is where strlen was called: a string without an end is read behind its object, else the length is 0..3
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  return strlen(s);
}
