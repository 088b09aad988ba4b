//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the loop's bound is known; one branch on the sum
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  unsigned sum = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  for (int i = 0; i < 100; i++)
    sum += x + i;
  if (sum == 4950)
    return 1;
  return 0;
}
