//@ paths: 2 completed, 0 errors
//@ test: i=1
//@ exit: 0
//@ why: next[next[i]] is 0 for i = 1 only: 1 -> 3 -> 0
#include <klee/klee.h>

static unsigned char next[4] = {2, 3, 1, 0};

int main(void) {
  int i = klee_range(0, 4, "i");
  if (next[next[i]] == 0)
    return 1;
  return 0;
}
