//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: how many bytes of an address are not 0
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *pointers[2] = {malloc(8), 0};
  return (int)strlen((char *)pointers);
}
