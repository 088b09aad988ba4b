//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: giving back memory that is of no mapping
//@ why: the write would be an error
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void) {
  static char pages[8192] __attribute__((aligned(4096)));
  munmap(pages, 4096);
  pages[0] = 1;
  return 0;
}
