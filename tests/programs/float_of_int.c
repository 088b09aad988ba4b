//@ partial: float
//@ exit: 2
//@ native: no floats are not explored
//@ why: the int becomes a float, which is made concrete, so one side of the branch is not seen
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  float half = x / 2.0f;
  if (half > 3.25f)
    return 1;
  return 0;
}
