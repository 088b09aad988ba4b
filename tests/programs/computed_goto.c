//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ why: three labels, one of them twice in the table
#include <klee/klee.h>

int main(void) {
  static void *const labels[4] = {&&one, &&two, &&one, &&three};
  int i = klee_range(0, 4, "i");
  goto *labels[i];
one:
  return 1;
two:
  return 2;
three:
  return 3;
}
