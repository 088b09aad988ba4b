//@ paths: 2 completed, 2 errors
//@ finding: ptr 11 outside
//@ exit: 1
//@ native: i=0..12
//@ why: called from two places with the branch between; each call may fail at the same line
#include <klee/klee.h>

static int values[4] = {4, 3, 2, 1};

static inline __attribute__((always_inline)) int get(int at) {
  return values[at];
}

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  if (i & 1)
    return get(i);
  return get(i / 2);
}
