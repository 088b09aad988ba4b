//@ paths: 3 completed, 1 errors
//@ finding: ptr 16 scope
//@ exit: 1
//@ why: a case has a block of its own; a static variable and one of the function live on
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int i = klee_range(0, 4, "i"), *p = 0, z = 3;
  switch (i) {
  case 0: { int a = 1; p = &a; break; }
  case 1: { static int b = 2; p = &b; break; }
  case 2: p = &z; break;
  default: return 0;
  }
  return *p;
}
