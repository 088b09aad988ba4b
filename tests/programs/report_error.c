//@ paths: 1 completed, 1 errors
//@ finding: user 11 too large
//@ exit: 1
//@ why: reported on one side
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 250)
    klee_report_error(__FILE__, __LINE__, "too large", "user");
  return 0;
}
