//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: elements of two objects are at different addresses in every layout, wherever inputs say that they are
#include <klee/klee.h>
static int a[4], b[4];
int main(void) {
  int i = klee_range(0, 4, "i"), j = klee_range(0, 4, "j");
  return &a[i] == &b[j];
}
