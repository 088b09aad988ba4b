//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: the order of two pointers is that of their bytes
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *pointers[2] = {malloc(8), malloc(8)};
  int order = memcmp(&pointers[0], &pointers[1], sizeof(char *)) < 0;
  free(pointers[0]);
  free(pointers[1]);
  return order;
}
