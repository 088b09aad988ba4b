//@ partial: fork
//@ exit: 2
//@ native: no it is about what is not explored
//@ why: with forking switched off a branch takes one side, and the other is not explored
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int y = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_set_forking(0);
  if (x > 9)
    y = 1;
  klee_set_forking(1);
  return y;
}
