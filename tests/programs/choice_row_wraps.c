//@ finding: ptr 11 outside
//@ exit: 1
//@ native: objects
//@ why: an index that wraps around at 256 reaches every element of the table, not each third one only
#include <klee/klee.h>
static unsigned char a[2] = {1, 2}, b[1] = {3};
static unsigned char *t[256];
int main(void) {
  unsigned char x = (unsigned char)klee_range(0, 256, "x");
  for (int n = 0; n < 256; n++) t[n] = n == 5 ? b : a;
  return t[(unsigned char)(x * 3 + 1)][1];
}
