//@ exit: 0
//@ why: an index that is inside of its object, or is small, leaves an address near it
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static int is_null(const char *p) { return !p; }

int main(void) {
  size_t n;
  int i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  char *block = calloc(8, 1);
  if (is_null(block + i) || (uintptr_t)(block + i) >> 48)
    return 1;
  if (n > 8)
    return 2;
  if (is_null(block + n))
    return 3;
  return block + n < block;
}
