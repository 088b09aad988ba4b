//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: what is printed is known; the branch has two sides
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 127)
    puts("large");
  else
    printf("%s %d\n", "small", 127);
  return 0;
}
