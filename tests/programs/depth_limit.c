//@ partial: max-depth
//@ run: --max-depth 3
//@ exit: 2
//@ native: no it is about what is not explored
//@ why: eight branches in a row are more than three
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int ones = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  for (int i = 0; i < 8; i++)
    if (x >> i & 1)
      ones++;
  return ones;
}
