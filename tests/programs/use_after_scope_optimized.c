//@ paths: 1 completed, 1 errors
//@ finding: ptr 10 scope
//@ run: --cc-flag -O2
//@ exit: 1
//@ why: the pointer leads to a variable of a block that was left, which another function writes; the optimiser leaves the marks of the block
#include <klee/klee.h>

static int *kept;
static __attribute__((noinline)) void keep(int *p) { kept = p; *p = 3; }
static __attribute__((noinline)) int use(void) { return *kept; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int outer;
  if (x > 9) {
    int inner;
    keep(&inner);
  } else
    keep(&outer);
  return use() - 3;
}
