//@ exit: 2
//@ incomplete: an address is in the name of a file
//@ why: the bytes of a pointer in an object of symbolic size are read as a string
#include <klee/klee.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  if (n < 16 || n > 40)
    return 0;
  char **name = malloc(n);
  name[0] = malloc(9);
  name[1] = 0;
  return open((char *)name, O_RDONLY) >= 0;
}
