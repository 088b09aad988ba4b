//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ native: i=-20..20
//@ why: below, above and inside; inside nothing can fail
#include <klee/klee.h>

static int table[9];

int main(void) {
  int i = klee_int("i");
  if (i < 0 || i >= 9)
    return 1;
  table[i] = i;
  return table[i] - i;
}
