//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a switch on a byte of an address
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  unsigned char byte = ((unsigned char *)&block)[1];
  free(block);
  switch (byte) {
  case 0:
    return 1;
  case 5:
    return 2;
  default:
    return 0;
  }
}
