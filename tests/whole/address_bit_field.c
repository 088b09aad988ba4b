//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: some bits of a stored pointer
#include <stdlib.h>

int main(void) {
  union {
    char *pointer;
    struct {
      unsigned long low : 16, high : 48;
    } parts;
  } both;
  both.pointer = malloc(8);
  int found = both.parts.high == 0x50000000;
  free(both.pointer);
  return found;
}
