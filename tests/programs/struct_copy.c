//@ paths: 2 completed, 0 errors
//@ test: x=0x2a
//@ exit: 0
//@ why: the copies carry the input along; one branch
#include <klee/klee.h>

struct record {
  char tag;
  int number;
  unsigned char letter;
};

static struct record through(struct record r) { return r; }

int main(void) {
  struct record a = {1, 2, 3}, b, c;
  klee_make_symbolic(&a.letter, sizeof a.letter, "x");
  b = a;
  a.letter = 0;
  c = through(b);
  if (c.letter == 42)
    return c.number;
  return 0;
}
