//@ finding: ptr 18 outside
//@ paths: 0 completed, 2 errors
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: a pointer that was written to a chosen structure is one of two; a constant leads either out of its object, and what is there is not its own
#include <klee/klee.h>
#include <stdlib.h>
struct item {
  unsigned key;
  char *data;
};
static struct item first, last, one;
int main(void) {
  struct item *heads[2] = {&first, &last};
  char *a = malloc(24), *b = malloc(24), *c = malloc(24);
  a[0] = b[0] = c[0] = 1, one.data = a, first.data = last.data = b;
  *heads[klee_range(0, 2, "i")] = one;
  return last.data[64];
}
