//@ paths: 6 completed, 0 errors
//@ exit: 0
//@ native: a=0..3 b=0..3 c=0..3
//@ why: insertion of three values: 2 orders of the first two, then 3 places for the third
#include <klee/klee.h>

int main(void) {
  unsigned char v[3];
  klee_make_symbolic(&v[0], 1, "a");
  klee_make_symbolic(&v[1], 1, "b");
  klee_make_symbolic(&v[2], 1, "c");
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      unsigned char t = v[j];
      v[j] = v[j - 1];
      v[j - 1] = t;
    }
  klee_assert((v[0] <= v[1]) & (v[1] <= v[2]));
  return 0;
}
