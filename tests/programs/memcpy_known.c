//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: x=[0,1,9]
//@ why: copied bytes are the input's; the assertion always holds, the branch has two sides
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char x[4], y[6] = {0};
  klee_make_symbolic(x, sizeof x, "x");
  memcpy(y + 1, x, 4);
  klee_assert((y[0] == 0) & (y[1] == x[0]) & (y[4] == x[3]) & (y[5] == 0));
  if (y[2] == 9)
    return 1;
  return 0;
}
