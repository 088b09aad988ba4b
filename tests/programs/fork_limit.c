//@ partial: max-forks
//@ run: --max-forks 1
//@ exit: 2
//@ native: no it is about what is not explored
//@ why: three branches need more than one fork
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int n = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x & 1)
    n++;
  if (x & 2)
    n++;
  if (x & 4)
    n++;
  return n;
}
