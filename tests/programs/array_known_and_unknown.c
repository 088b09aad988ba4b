//@ paths: 5 completed, 0 errors
//@ exit: 0
//@ native: i=0..6,24..26,999,1000 j=0..6,24..26,999,1000 k=0..6,999,1000
//@ why: three ways to be too large; the 7 is at i only, so it is found in the first round if it is there at all,
//@ why: and then it is gone. Each write at a known place is one store, not a thousand elements anew.
#include <klee/klee.h>

static int a[1000];

int main(void) {
  unsigned i, j, k;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_make_symbolic(&k, sizeof k, "k");
  if (i >= 1000 || j >= 1000 || k >= 1000)
    return 0;
  a[i] = 7;
  for (int n = 0; n < 20; n++) {
    a[5 + n] = 3;
    if (a[j] == 7) {
      a[j] = 9;
      if (a[k] == 7)
        return 2;
    }
  }
  return 1;
}
