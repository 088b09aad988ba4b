//@ paths: 1 completed, 1 errors
//@ finding: ptr 13 end
//@ exit: 1
//@ native: no the size depends on the input
//@ why: what alloca gives ends with the function
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
static char *f(int n) { char *p = __builtin_alloca(n); p[n - 1] = 1; return p; }
int main(void) {
  int n = klee_range(1, 4, "n");
  char *p = f(n);
  if (n == 3) return p[0];
  return 0;
}
