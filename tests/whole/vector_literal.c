//@ exit: 0
//@ paths: 3 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: clang writes `insertelement <i32 1, i32 2, i32 poison, i32 poison>, i32 %x, i32 2`: lanes without a value
//@ why: are there to be replaced, no operation without a result was folded
#include <klee/klee.h>

typedef int v4 __attribute__((vector_size(16)));
typedef int e2 __attribute__((ext_vector_type(2)));
typedef int e4 __attribute__((ext_vector_type(4)));

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  v4 a = {1, 2, x, 3};
  if (a[0] != 1 || a[1] != 2 || a[3] != 3)
    return 7;
  e4 whole = {1, x, 1, 5};
  whole.xy = (e2){8, x};
  if (whole[0] != 8 || whole[2] != 1 || whole[3] != 5)
    return 8;
  if (a[2] == 4)
    return 1;
  if (whole[1] == 5)
    return 2;
  return whole.y == 6 ? 3 : 0;
}
