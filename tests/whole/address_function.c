//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: where a function is
#include <stdint.h>

static int called(void) { return 1; }
static int (*volatile table[2])(void) = {called, 0};

int main(void) {
  unsigned char *bytes = (unsigned char *)&table[0];
  return (bytes[2] & 1) + table[0]();
}
