//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a floating-point number made from an address
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(8);
  double number = (double)(uintptr_t)block;
  free(block);
  return number > 1e13;
}
