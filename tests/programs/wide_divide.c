//@ paths: 1 completed, 1 errors
//@ finding: div 13 zero
//@ test: error y=0
//@ exit: 1
//@ why: a 128-bit division has a divisor that is 0 or not
#include <klee/klee.h>
#include <stdint.h>

int main(void) {
  unsigned char y;
  klee_make_symbolic(&y, sizeof y, "y");
  unsigned __int128 large = (unsigned __int128)1 << 100;
  return (int)(large / y);
}
