//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: d=[0,1,0x10,0xff]
//@ why: nothing forks until the check at the end
#include <klee/klee.h>

int main(void) {
  unsigned char d[4], sum = 0;
  klee_make_symbolic(d, sizeof d, "d");
  for (int i = 0; i < 4; i++)
    sum = (sum << 1 | sum >> 7) ^ d[i];
  if (sum == 0)
    return 1;
  return 0;
}
