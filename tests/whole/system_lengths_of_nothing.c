//@ exit: 1
//@ paths: 3 completed, 3 errors, 0 stopped
//@ finding: ptr 27
//@ finding: readonly 27
//@ why: no bytes may be read to anywhere, some may not, even if none come; the lines are those of the system calls in musl
#include <klee/klee.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  unsigned n = klee_range(0, 6, "n");
  char bytes[8];
  int nothing = open("/dev/null", O_RDONLY), empty = open("empty", O_RDWR | O_CREAT, 0600);
  switch (klee_range(0, 3, "call")) {
  case 0: return read(nothing, bytes - 1, n);
  case 1: return read(nothing, (char *)"abcdefgh", n);
  default: {
    struct iovec part = {(char *)"abcdefgh", n};
    return readv(empty, &part, 1);
  }
  }
}
