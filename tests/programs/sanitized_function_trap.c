//@ paths: 1 completed, 1 errors
//@ finding: exec 22 function type mismatch
//@ run: --cc-flag -fsanitize=function --cc-flag -fsanitize-trap=function
//@ exit: 1
//@ native: no clang's check of function types needs its library
//@ why: the check before a call reads what stands before the function: it holds for one function, is false for the one of another type, and does not apply to a function of the library
#include <klee/klee.h>
#include <stdlib.h>

static int narrow(int a) { return a; }
static int wide(long a) { return (int)a; }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int (*library)(int) = abs;
  if (library(-3) != 3)
    return 1;
  int (*f)(int) = narrow;
  if (x > 9)
    f = (int (*)(int))wide;
  return f(1) - 1;
}
