//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: how much is copied does not fork by itself; whether byte 3 was reached does
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char from[8] = "abcdefg", to[8] = "-------";
  int n = klee_range(0, 9, "n");
  memcpy(to, from, n);
  if (to[3] == 'd')
    klee_assert(n > 3);
  return 0;
}
