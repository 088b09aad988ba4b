//@ exit: 2
//@ incomplete: an address is used as a number
//@ why: pointers of a long table are in two objects, of which the second begins late in it
#include <klee/klee.h>

int a[4], b[4];
int *t[8192];

int main(void) {
  unsigned short i;
  klee_make_symbolic(&i, sizeof i, "i");
  for (int j = 0; j < 8192; j++)
    t[j] = j < 5000 ? a : b;
  // The order of two objects is one of two.
  int *chosen = t[i & 8191];
  return chosen < &a[2];
}
