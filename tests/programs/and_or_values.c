//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ why: as values, && and || jump on their left side only, and ?: of constants does not jump: a has two sides, the ?: behind a = 1 two more
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int a = x & 1, b = x & 2, c = x & 4;
  int both = a && b;
  int either = a || b;
  int number = b ? 10 : 20;
  if (!a)
    return both + either + number;
  return c ? both : either;
}
