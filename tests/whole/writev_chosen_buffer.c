//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ why: a buffer that is one of two is a path for each
#include <klee/klee.h>
#include <sys/uio.h>

int main(void) {
  unsigned char choice;
  klee_make_symbolic(&choice, sizeof choice, "choice");
  char a[] = "aaa", b[] = "bbb";
  struct iovec part = {choice ? a : b, 3};
  klee_assert(writev(1, &part, 1) == 3);
  return 0;
}
