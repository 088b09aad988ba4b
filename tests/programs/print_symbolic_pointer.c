//@ partial: one value of a symbolic argument
//@ exit: 2
//@ native: no one value stands for all
//@ why: where bytes are printed from, and how many, must be looked at: they may not be there
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned n;
  char text[8] = "1234567";
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 20);
  puts(text + n);
  printf("%s\n", text + n);
  fwrite(text, 1, n, stdout);
  return 0;
}
