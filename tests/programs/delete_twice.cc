//@ paths: 1 completed, 1 errors
//@ finding: free 13 freed before
//@ exit: 1
//@ why: one side deletes again
#include <klee/klee.h>

int main() {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int *p = new int(x);
  delete p;
  if (x == 1)
    delete p;
  return 0;
}
