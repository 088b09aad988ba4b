//@ run: --sym-stdin 8
//@ exit: 0
//@ paths: 3 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: the length is known to be smaller than an address where the addresses are ordered
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  size_t length;
  if (read(0, &length, sizeof length) != sizeof length)
    return 9;
  if (length > 100000)
    return 2;
  char *block = malloc(16);
  char *end = block + 16;
  int too_long = 0;
  if (block + length > end)
    too_long = 1;
  free(block);
  return too_long;
}
