//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 outside
//@ test: error i=2
//@ exit: 1
//@ why: all first indices are inside; the element at 2 is not one of the second table
#include <klee/klee.h>

static int where[3] = {0, 4, 5}, what[5] = {1, 2, 3, 4, 5};

int main(void) {
  int i = klee_range(0, 3, "i");
  int at = where[i];
  return what[at];
}
