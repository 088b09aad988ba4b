//@ paths: 1 completed, 1 errors
//@ run: --check leak
//@ finding: leak 10 never freed
//@ exit: 1
//@ why: small ones are freed, the others are lost, whatever their size
#include <klee/klee.h>
#include <stdlib.h>

static void work(int n) {
  char *p = malloc(n);
  p[0] = 1;
  if (n < 8)
    free(p);
  p = 0;
}

int main(void) {
  int n = klee_range(1, 60, "n");
  work(n);
  return 0;
}
