//@ run: --sym-stdin 16
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: address_order_of_terms.c:13:17: an address is used as a number
//@ why: (an address is listed at its block) both sums may wrap around, and where they do depends on where the block is
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  size_t n[2];
  if (read(0, n, sizeof n) != sizeof n)
    return 9;
  char *block = malloc(16);
  int before = block + n[0] < block + n[1];
  free(block);
  return before;
}
