//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: (MADV_DONTNEED)
//@ why: a page of a variable would be zero, which an object cannot be
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void) {
  static char pages[8192] __attribute__((aligned(4096)));
  pages[0] = 1;
  madvise(pages, 4096, MADV_DONTNEED);
  return pages[0];
}
