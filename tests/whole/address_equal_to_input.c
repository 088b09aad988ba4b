//@ exit: 2
//@ paths: 2 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: on the path where the input is the address, what is true of it depends on the layout
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  uintptr_t input;
  klee_make_symbolic(&input, sizeof input, "input");
  char *block = malloc(8);
  int is_it = input == (uintptr_t)block;
  free(block);
  if (is_it)
    return input > 0x555500000000;
  return input > 5 ? 2 : 3;
}
