//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: x=[0,1,7]
//@ why: overlapping ranges are moved as if through a copy; one branch
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char x[4], old[4];
  klee_make_symbolic(x, sizeof x, "x");
  memcpy(old, x, 4);
  memmove(x + 1, x, 3);
  klee_assert((x[0] == old[0]) & (x[1] == old[0]) & (x[2] == old[1]) & (x[3] == old[2]));
  if (x[3] == 7)
    return 1;
  return 0;
}
