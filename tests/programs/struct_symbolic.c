//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ native: r=0,0x100,0x1ff,0x200,0x300,0x2ff
//@ why: the branch on the second byte, and behind one side the branch on the first
#include <klee/klee.h>

struct pair {
  unsigned char low, high;
};

int main(void) {
  struct pair r;
  klee_make_symbolic(&r, sizeof r, "r");
  if (r.high < 2)
    return 1;
  if (r.low == 0xff)
    return 2;
  return 3;
}
