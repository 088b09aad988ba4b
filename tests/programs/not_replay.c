//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: nothing is replayed, nothing branches; what is only printed changes nothing
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assert(!klee_is_replay());
  klee_warning("once");
  klee_warning_once("twice");
  klee_print_expr("x", x);
  klee_print_range("x", x);
  klee_mark_global(&x);
  klee_stack_trace();
  return 0;
}
