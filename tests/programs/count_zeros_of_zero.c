//@ paths: 5 completed, 0 errors
//@ exit: 0
//@ native: no: what the processor leaves for 0 is one of all numbers
//@ why: 4 and more; of 1 to 3 there are 30 or 31 zeros; the number of zeros of 0 is not defined and may be any, as native runs show
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 3)
    return 0;
  int n = __builtin_clz(x);
  if (n == 32)
    return 1;
  if (n >= 30)
    return 2;
  return 3;
}
