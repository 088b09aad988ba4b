//@ paths: 1 completed, 1 errors
//@ finding: ptr 12 outside
//@ exit: 1
//@ why: indices 0..9 are one path, all others one error path
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  char *p = calloc(10, 1);
  return p[i];
}
