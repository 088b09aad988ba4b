//@ exit: 2
//@ incomplete: address_taken_twice.c:8
//@ why: two addresses of one object are taken from a number, which is no difference
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  volatile uintptr_t number = 100, less;
  char *block = malloc(8);
  less = number - (uintptr_t)block;
  return (less - (uintptr_t)(block + 1)) >> 14 & 1;
}
