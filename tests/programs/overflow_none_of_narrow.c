//@ paths: 1 completed, 0 errors
//@ run: --check overflow
//@ exit: 0
//@ why: arithmetic on short is arithmetic on int, and conversions are none
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  short s;
  klee_make_symbolic(&s, sizeof s, "s");
  s++;
  s += 40000;
  s *= 2;
  signed char c = s;
  c--;
  return c == 5;
}
