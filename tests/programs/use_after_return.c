//@ paths: 1 completed, 1 errors
//@ finding: ptr 19 ended
//@ exit: 1
//@ why: the local object has ended with its function; the other side uses a static one
#include <klee/klee.h>

static int lasting = 5;

static int *pick(int which) {
  int local = 6;
  int *volatile p = &local;
  return which ? &lasting : p;
}

int main(void) {
  unsigned char which;
  klee_make_symbolic(&which, sizeof which, "which");
  int *p = pick(which);
  return *p;
}
