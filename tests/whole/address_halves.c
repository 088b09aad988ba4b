//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: the halves of a stored pointer are numbers of their own
#include <stdlib.h>

int main(void) {
  union {
    char *pointer;
    unsigned halves[2];
    unsigned long low : 12;
  } both;
  both.pointer = malloc(8);
  unsigned mixed = both.halves[0] ^ both.halves[1];
  free(both.pointer);
  return mixed % 3;
}
