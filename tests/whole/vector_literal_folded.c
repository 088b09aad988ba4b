//@ exit: 1
//@ paths: 1 completed, 3 errors, 0 stopped
//@ finding: div 16
//@ finding: div 20
//@ finding: div 24
//@ why: a lane that is never replaced has no value, because the compiler has folded the division
#include <klee/klee.h>

typedef int v4 __attribute__((vector_size(16)));

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 1) {
    // A constant beside one that is not known.
    v4 a = {1, 5 / 0, x, 3};
    return a[0];
  }
  if (x == 2) {
    v4 a = {1, 2, 5 / 0, 3};
    return a[0];
  }
  if (x == 3) {
    v4 a = {5 / 0, 5 / 0, 5 / 0, 5 / 0};
    return a[0];
  }
  return 0;
}
