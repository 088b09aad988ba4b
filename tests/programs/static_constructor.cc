//@ paths: 2 completed, 1 errors
//@ finding: div 19 zero
//@ test: error x=7
//@ exit: 1
//@ why: the constructor of a global runs before main and makes the input; 7 - x is zero, or 1..7 with a quotient above 10, or negative
#include <klee/klee.h>

struct Setting {
  int value;
  Setting() {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    value = 7 - x;
  }
};
static Setting setting;

int main() {
  if (100 / setting.value > 10)
    return 1;
  return 0;
}
