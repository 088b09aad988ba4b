//@ paths: 1 completed, 2 errors
//@ finding: ptr 15 scope
//@ finding: ptr 19 scope
//@ exit: 1
//@ why: an inner block ends before an outer one, and a pointer to either is used behind it
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int i = klee_range(0, 3, "i"), *p = 0;
  {
    int a = 1;
    p = &a;
    { int b = 2; if (i == 1) p = &b; }
    if (i == 1) return *p;
    if (*p != 1) return 5;
  }
  if (i == 2) return 0;
  return *p;
}
