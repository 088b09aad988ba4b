//@ paths: 2 completed, 0 errors
//@ test: x=0x41
//@ exit: 0
//@ why: all bytes are the input; one branch on a whole word of them
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned word;
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  memset(&word, x, sizeof word);
  if (word == 0x41414141)
    return 1;
  return 0;
}
