//@ run: --efault
//@ exit: 1
//@ finding: ptr 27
//@ incomplete: an address is printed, and is one of many
//@ why: an address where nothing is fails with EFAULT, one right behind an object stays an error, and neither
//@ why: stands for the other; the line is that of the system call in musl
#include <errno.h>
#include <klee/klee.h>
#include <unistd.h>

int main(void) {
  unsigned long n;
  klee_make_symbolic(&n, sizeof n, "n");
  long written = write(1, (void *)n, 1);
  return written == 1 ? 0 : errno == EFAULT ? 3 : 4;
}
