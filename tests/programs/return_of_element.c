//@ paths: 1 completed, 1 errors
//@ finding: ptr 11 end
//@ exit: 1
//@ why: an element of a local array is gone with its function, one of a static array is not
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
static int *f(int i) { int a[2] = {1, 2}; static int b[2]; return i ? a + 1 : b; }
int main(void) {
  int *p = f(klee_range(0, 2, "i"));
  return *p;
}
