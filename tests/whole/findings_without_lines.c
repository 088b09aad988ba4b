//@ run: --cc-flag -g0
//@ exit: 1
//@ paths: 3 completed, 5 errors, 0 stopped
//@ finding: div null; div null; ptr null; ptr null
//@ why: without lines, findings are told apart by the instruction, and none is at a line of the library's start code
#include <klee/klee.h>

static int twice(int *p) { return *p; }

int main(void) {
  int way, divisor;
  klee_make_symbolic(&way, sizeof way, "way");
  klee_make_symbolic(&divisor, sizeof divisor, "divisor");
  if (way == 1)
    return 10 / divisor;
  if (way == 2)
    return 20 / divisor;
  if (way == 3) {
    int *p = 0;
    *p = 1;
  }
  if (way == 4)
    return twice(0);
  if (way == 5)
    return twice(0) + 1;
  return 0;
}
