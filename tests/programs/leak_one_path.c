//@ paths: 1 completed, 1 errors
//@ finding: leak 10 heap
//@ run: --check leak
//@ exit: 1
//@ why: freed on one side only; the place is where the object was made
#include <klee/klee.h>
#include <stdlib.h>

static void work(int x) {
  char *p = malloc(10);
  p[0] = 1;
  if (x < 50)
    free(p);
  p = 0;
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  work(x);
  return 0;
}
