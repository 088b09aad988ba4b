//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a byte of a stored pointer is looked at, after it was copied byte by byte
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  unsigned char copy[sizeof block], *from = (unsigned char *)&block;
  for (unsigned i = 0; i < sizeof block; i++)
    copy[i] = from[i];
  int odd = copy[1] > 100;
  free(block);
  return odd;
}
