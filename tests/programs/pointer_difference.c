//@ paths: 2 completed, 0 errors
//@ test: j=5
//@ exit: 0
//@ why: the difference of two pointers into one object is the difference of the indices
#include <klee/klee.h>

int main(void) {
  int a[6];
  int j = klee_range(0, 6, "j");
  int *p = &a[j];
  if (p - a > 4)
    return 1;
  return 0;
}
