//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a chosen string ends as the other one does, and a linker lets one end in the other, or does not
#include <klee/klee.h>
static const char *const table[3] = {"xabc", "abd", "ab"};
static const char *volatile other = "abc";
int main(void) {
  int i = klee_range(0, 3, "i");
  const char *p = table[i] + 1, *q = other;
  return p == q;
}
