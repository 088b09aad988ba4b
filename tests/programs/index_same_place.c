//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ why: each call decides one branch; the arrays of both calls have the same place, one after the other
#include <klee/klee.h>

static int is_in(unsigned char c, const unsigned char *letters) {
  unsigned char set[256] = {0};
  for (; *letters; letters++)
    set[*letters] = 1;
  return set[c];
}

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  int code = 0;
  if (is_in(c, (const unsigned char *)"abc"))
    code += 1;
  if (is_in(c, (const unsigned char *)"cde"))
    code += 2;
  return code;
}
