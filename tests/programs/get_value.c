//@ paths: 1 completed, 0 errors
//@ partial: klee_get_value
//@ exit: 2
//@ native: no it is about what is symbolic
//@ why: the values that are asked for are possible and known, so nothing branches
#include <klee/klee.h>

int main(void) {
  int x = klee_range(5, 8, "x");
  int32_t a = klee_get_value_i32(x);
  int64_t b = klee_get_value_i64(x);
  long c = klee_get_valuel(x);
  long long d = klee_get_valuell(x);
  klee_assert(klee_get_valuef(1.5f) == 1.5f);
  klee_assert(klee_get_valued(2.5) == 2.5);
  klee_assert(!klee_is_symbolic(a) & !klee_is_symbolic(b) & !klee_is_symbolic(c) & !klee_is_symbolic(d));
  klee_assert((a >= 5) & (a < 8) & (b >= 5) & (b < 8) & (c >= 5) & (c < 8) & (d >= 5) & (d < 8));
  return 0;
}
