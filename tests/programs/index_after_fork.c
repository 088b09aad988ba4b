//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ test: other=1
//@ why: other is 1 or not, s[i] is 7 or not; both sides of the first read s at an unknown place for the first time, with s as it was before they parted
#include <klee/klee.h>

int main(void) {
  char s[3];
  klee_make_symbolic(s, sizeof s, "s");
  unsigned i = klee_range(0, 3, "i");
  int other = klee_int("other");
  int code = 20;
  if (other == 1)
    code = 10;
  if (s[i] == 7)
    return code + 5;
  return code;
}
