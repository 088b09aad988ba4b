//@ exit: 0
//@ why: no string ends as the other one does
#include <klee/klee.h>
static const char *const table[3] = {"xabc", "abd", "ab"};
static const char *volatile other = "abc";
int main(void) {
  int i = klee_range(0, 3, "i");
  const char *p = table[i], *q = other;
  return p == q;
}
