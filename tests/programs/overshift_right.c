//@ paths: 2 completed, 1 errors
//@ finding: overshift 14 shift
//@ test: error n=64
//@ test: n=63
//@ exit: 1
//@ why: 64 is too much for 64 bits; by 63 the result is 1, by less it is more
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 64);
  unsigned long long top = 1ull << 63;
  if (top >> n == 1)
    return 1;
  return 0;
}
