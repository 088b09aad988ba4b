//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ native: objects
//@ why: three objects of two classes in a table; a path for each object
#include <klee/klee.h>

struct Shape {
  virtual int corners() const { return 0; }
};
struct Square : Shape {
  int corners() const override { return 4; }
};

static Shape point, dot;
static Square square;
static Shape *shapes[3] = {&point, &square, &dot};

int main() {
  int i = klee_range(0, 3, "i");
  return shapes[i]->corners();
}
