//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: b=0..0xff,0x1000,0x10ff,0xf03f,0xffff,0x8000
//@ why: two fields of one word with one branch each
#include <klee/klee.h>

struct fields {
  unsigned short low : 3;
  signed short middle : 5;
  unsigned short high : 8;
};

int main(void) {
  struct fields b;
  int r = 0;
  klee_make_symbolic(&b, sizeof b, "b");
  b.low = 5;
  if (b.middle < 0)
    r |= 1;
  if (b.high == 0x10)
    r |= 2;
  klee_assert(b.low == 5);
  return r;
}
