//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the sizes are known on both sides of one branch
#include <klee/klee.h>
#include <stdlib.h>

static int four[4];

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  void *p = x > 1 ? malloc(7) : (void *)four;
  size_t size = klee_get_obj_size(p);
  klee_assert(size == (p == four ? 16 : 7));
  return 0;
}
