//@ paths: 2 completed, 1 errors
//@ finding: free 16 freed before
//@ test: error x=4
//@ exit: 1
//@ why: only x = 4 passes both tests and frees twice; x = 5 is the third path
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  char *p = malloc(1);
  if (x == 4 || x == 5)
    free(p);
  if (x == 4)
    free(p);
  return 0;
}
