//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ why: an array of known length on each path: the switch fixes it before it is made
#include <klee/klee.h>

static int last(int n) {
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = i;
  return a[n - 1];
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x & 3) {
  case 0: return last(1);
  case 1: return last(2);
  case 2: return last(3);
  default: return last(4);
  }
}
