//@ paths: 2 completed, 1 errors
//@ finding: assert 20 seed
//@ test: error seed=9
//@ exit: 1
//@ why: an input made before main; the constructor branches, then the assertion
#include <assert.h>
#include <klee/klee.h>

static unsigned char seed;
static int small;

__attribute__((constructor)) static void prepare(void) {
  klee_make_symbolic(&seed, sizeof seed, "seed");
  if (seed < 10)
    small = 1;
}

int main(void) {
  if (small)
    assert(seed != 9);
  return 0;
}
