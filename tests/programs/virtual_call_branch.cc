//@ paths: 1 completed, 1 errors
//@ finding: abort 14 abort
//@ test: error x=66
//@ exit: 1
//@ why: the class is chosen by a branch; only one overrides
#include <klee/klee.h>
#include <stdlib.h>

struct Base {
  virtual ~Base() {}
  virtual void act() {}
};
struct Bad : Base {
  void act() override { abort(); }
};

int main() {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  Base *b;
  if (x == 66)
    b = new Bad;
  else
    b = new Base;
  b->act();
  delete b;
  return 0;
}
