//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: which of two blocks is first, and what a hash of an address is, depends on where they are
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *first = malloc(8), *second = malloc(8);
  int order = first < second;
  int bucket = (uintptr_t)first % 7;
  free(first);
  free(second);
  return order + bucket;
}
