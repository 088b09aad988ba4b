//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a pointer in a packed structure is one although its place is not aligned
#include <stdint.h>
#include <stdlib.h>

struct __attribute__((packed)) Packed {
  char tag;
  char *pointer;
};

int main(void) {
  struct Packed packed = {1, malloc(8)};
  int bucket = (uintptr_t)packed.pointer % 61;
  free(packed.pointer);
  return bucket;
}
