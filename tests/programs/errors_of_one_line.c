//@ paths: 4 completed, 2 errors
//@ finding: ptr 17 16 bytes
//@ finding: ptr 17 32 bytes
//@ exit: 1
//@ native: x=0..255
//@ why: one line of the source is two writes; the bounds of both are wrong, and each is an error of its own
#include <klee/klee.h>

static int a[4], b[8];

#define PUT(to, at, most) do { if ((at) <= (most)) (to)[at] = 1; } while (0)

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  unsigned at = x & 15, of_a = x & 7;
  if (x & 128) PUT(a, of_a, 4); else PUT(b, at, 8);
  return 0;
}
