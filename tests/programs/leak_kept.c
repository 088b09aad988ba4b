//@ paths: 2 completed, 0 errors
//@ run: --check leak
//@ exit: 0
//@ why: an object that a global still points to is not lost, one that is freed neither
#include <klee/klee.h>
#include <stdlib.h>

static char *kept;

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  kept = malloc(10);
  if (x < 50) {
    free(kept);
    kept = 0;
  }
  return 0;
}
