//@ paths: 2 completed, 0 errors
//@ test: i=3
//@ exit: 0
//@ why: two bytes from an unknown place inside; only one place has this pair
#include <klee/klee.h>
#include <string.h>

int main(void) {
  static const unsigned char from[6] = {1, 2, 3, 1, 3, 2};
  unsigned char to[2];
  int i = klee_range(0, 5, "i");
  memcpy(to, from + i, 2);
  if ((to[0] == 1) & (to[1] == 3))
    return 1;
  return 0;
}
