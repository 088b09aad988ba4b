//@ partial: one value of a symbolic argument
//@ exit: 2
//@ native: no one value stands for all
//@ why: %n stores how much was printed: the call has an effect besides printing, so its text is given one value
#include <assert.h>
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  klee_assume(s[0] != 0);
  int count = -1;
  printf("%s%n", s, &count);
  assert(count >= 1);
  return 0;
}
