//@ run: --sym-stdin 8
//@ exit: 2
//@ paths: 2 completed, 0 errors, 0 stopped
//@ incomplete: address_order_far.c:13:17: an address is used as a number
//@ why: a length that is near the end of all numbers takes an address around to the beginning
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  size_t length;
  if (read(0, &length, sizeof length) != sizeof length)
    return 9;
  char *block = malloc(16);
  char *end = block + 16;
  int too_long = 0;
  if (block + length > end)
    too_long = 1;
  free(block);
  return too_long;
}
