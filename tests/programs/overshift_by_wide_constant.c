//@ paths: 1 completed, 3 errors
//@ finding: overshift 10 width
//@ finding: overshift 11 width
//@ finding: overshift 12 width
//@ exit: 1
//@ why: the amounts are cut to 1, 1 and 0 by a front end that has no place for a check
#include <klee/klee.h>
int main(void) {
  switch (klee_range(0, 4, "which")) {
  case 0: return 1 << 4294967297L;
  case 1: return klee_int("x") << 4294967297L;
  case 2: return klee_int("x") >> (1L << 32);
  }
  return 1 << 3L;
}
