//@ paths: 2 completed, 0 errors
//@ partial: klee_get_value
//@ exit: 2
//@ native: no it is about what is symbolic
//@ why: asking for a value does not fix it: x may still be another, so the branch has two sides
#include <klee/klee.h>

int main(void) {
  int x = klee_range(0, 10, "x");
  int32_t a = klee_get_value_i32(x);
  if (x == a)
    return 1;
  return 2;
}
