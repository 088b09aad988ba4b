//@ finding: ptr 12 outside
//@ paths: 0 completed, 2 errors
//@ run: --cc-flag -O1
//@ exit: 1
//@ native: no, where objects lie is the allocator's matter
//@ why: at this level of optimisation the choice is no branch: one address of two, to which the number is added
#include <klee/klee.h>
#include <stdlib.h>
static char *volatile kept;
__attribute__((noinline)) static char *one_of(unsigned i, char *p, char *q) { return i ? p : q; }
static char *made(void) { return kept = calloc(24, 1); }
__attribute__((noinline)) static int far(const char *p) { return p[64]; }
int main(void) {
  char *a = made(), *b = made(), *c = made();
  (void)c;
  return far(one_of(klee_range(0, 2, "i"), a, b));
}
