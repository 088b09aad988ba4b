//@ paths: 2 completed, 0 errors
//@ run: --cc-flag -fsanitize=undefined
//@ partial: vptr
//@ exit: 2
//@ why: calls of virtual functions look the object's class up in a table of the sanitiser's library, and nothing is wrong with either; what the library does if the table does not have it is said not to be done
#include <klee/klee.h>

struct Shape {
  virtual int corners() { return 0; }
};
struct Square : Shape {
  int corners() override { return 4; }
};

int main() {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  Shape shape;
  Square square;
  Shape *one = &shape;
  if (x > 9)
    one = &square;
  return one->corners() % 4;
}
