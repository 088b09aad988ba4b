//@ paths: 1 completed, 3 errors
//@ finding: overflow 14 overflow
//@ finding: overflow 15 overflow
//@ finding: overflow 16 overflow
//@ test: error x=0x7fffffff
//@ run: --check overflow
//@ exit: 1
//@ native: x=-0x80000000..-0x7ffffffd,-5..5,46340,46342,1000000,0x7ffffffe,0x7fffffff
//@ why: what passed one step may fail in the next: x + 1 for the largest, x - 2 for the two smallest, then the square
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  int up = x + 1;
  int down = x - 2;
  int square = down * down;
  return (up ^ square) & 1;
}
