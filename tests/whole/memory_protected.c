//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: memory_protected.c:15:7: mprotect: memory may be read and written whatever its protection
//@ incomplete: memory_protected.c:19:18: mmap: memory may be read and written whatever its protection
//@ why: what is written to would be an error, which the model does not see
#include <stdlib.h>
#include <sys/mman.h>

static char pages[8192] __attribute__((aligned(4096)));

int main(void) {
  char *heap = aligned_alloc(4096, 8192);
  if (mprotect(pages, 4096, PROT_READ | PROT_WRITE))
    return 1;
  if (mprotect(heap, 4096, PROT_READ))
    return 1;
  heap[1] = 3;
  // Asked for with PROT_NONE.
  char *mapped = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED;
}
