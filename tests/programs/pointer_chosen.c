//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the pointers are known on each side of the ?: and write to one object each
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  char *first = calloc(4, 1), *second = calloc(4, 1);
  char *p = x > 77 ? first : second;
  p[2] = 1;
  assert(first[2] != second[2]);
  free(first);
  free(second);
  return 0;
}
