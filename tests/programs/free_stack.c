//@ paths: 0 completed, 1 errors
//@ finding: free 10 stack
//@ exit: 1
//@ why: no input; a local object cannot be freed
#include <stdlib.h>

int main(void) {
  int local[4];
  int *volatile p = local;
  free(p);
  return 0;
}
