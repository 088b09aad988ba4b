//@ paths: 8 completed, 0 errors
//@ exit: 0
//@ why: every start 1..8 has its own sequence of even and odd until 1
#include <klee/klee.h>

int main(void) {
  unsigned n = klee_range(1, 9, "n");
  int steps = 0;
  while (n != 1) {
    if (n % 2)
      n = 3 * n + 1;
    else
      n /= 2;
    steps++;
  }
  return steps;
}
