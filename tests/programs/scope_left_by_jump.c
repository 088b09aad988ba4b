//@ paths: 1 completed, 1 errors
//@ finding: ptr 16 end
//@ exit: 1
//@ native: no jumps
//@ why: longjmp leaves the function whose variable is used behind it
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
static jmp_buf b;
static int *p;
static void f(int i) { int a = 4; p = &a; if (i) longjmp(b, 1); }
int main(void) {
  int i = klee_range(0, 2, "i");
  if (setjmp(b) == 0) { f(i); return 0; }
  return *p;
}
