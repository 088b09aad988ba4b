//@ paths: 1 completed, 1 errors
//@ finding: overflow 12 overflow
//@ run: --check overflow
//@ exit: 1
//@ why: two unsigned short are multiplied as int
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned short a;
  klee_make_symbolic(&a, sizeof a, "a");
  unsigned r = a * a;
  return r == 5;
}
