//@ paths: 1 completed, 1 errors
//@ finding: stack 8 stack overflow
//@ test: error x=1
//@ exit: 1
//@ why: one path recurses without end, all on one line
#include <klee/klee.h>

static int deeper(int n) { char room[4096]; room[0] = n; return deeper(n + 1) + room[0]; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  return x == 1 ? deeper(0) : 0;
}
