//@ paths: 3 completed, 1 errors
//@ finding: ptr 15 outside
//@ test: error i=3
//@ exit: 1
//@ why: each function is a path; the index may be one too large
#include <klee/klee.h>

static int add(int a) { return a + 1; }
static int twice(int a) { return a * 2; }
static int square(int a) { return a * a; }
static int (*const table[3])(int) = {add, twice, square};

int main(void) {
  int i = klee_range(0, 4, "i");
  int (*f)(int) = table[i];
  return f(5);
}
