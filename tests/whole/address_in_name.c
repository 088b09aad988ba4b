//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is in the name of a file
//@ why: the name of a file is the bytes of an address
#include <fcntl.h>
#include <stdlib.h>

int main(void) {
  char *pointers[2] = {malloc(8), 0};
  return open((const char *)pointers, O_CREAT | O_RDWR, 0600) < 0;
}
