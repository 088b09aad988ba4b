//@ paths: 1 completed, 1 errors
//@ finding: overflow 15 overflow
//@ run: --check overflow
//@ exit: 1
//@ why: an unsigned bit-field of 31 bits is added as int, one of 32 bits as unsigned; narrow fields wrap
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct f { int a : 5; unsigned b : 31; unsigned c : 32; };
int main(void) {
  struct f f;
  int x = klee_range(0, 32, "x");
  f.a = x; f.a++; f.a *= 3;
  f.b = 0x7fffffff;
  int t = f.b + (x == 7);
  f.c = 0xffffffff;
  unsigned u = f.c + 1;
  return t == 5 && u;
}
