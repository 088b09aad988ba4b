//@ paths: 2 completed, 0 errors
//@ test: x=4
//@ exit: 0
//@ why: the sum of 1, 2 and x is 7 or not
#include <klee/klee.h>
#include <stdarg.h>

static int sum(int count, ...) {
  va_list list;
  int total = 0;
  va_start(list, count);
  while (count--)
    total += va_arg(list, int);
  va_end(list);
  return total;
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (sum(3, 1, (int)x, 2) == 7)
    return 1;
  return 0;
}
