//@ run: --libc none
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is printed
//@ why: the bytes of an address as a string
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *pointers[2] = {malloc(8), 0};
  printf("%s\n", (char *)pointers);
  return 0;
}
