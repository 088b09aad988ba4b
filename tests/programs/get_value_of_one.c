//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: x=[0..12]
//@ why: where the path leaves one value, that is what is asked for, and nothing is left out
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x != 7)
    return 0;
  return klee_get_value_i32(x + 1) == 8 ? 2 : 3;
}
