//@ run: --sym-stdin 4
//@ exit: 1
//@ paths: 21 completed, 4 errors, 0 stopped
//@ finding: ptr 27
//@ incomplete: poll: the limits of the process are some of many
//@ why: lengths that are alike are one path: those of all that comes and more, and those beyond the buffer; others are a path for each value; the line is that of the system call in musl
#include <klee/klee.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  char bytes[40] = "text";
  switch (klee_range(0, 4, "call")) {
  case 0: return read(0, bytes, n) > 4;
  case 1: return write(1, bytes + 36, n) > 4;
  case 2: {
    struct iovec part = {bytes, n};
    long got = readv(0, &part, 1);
    return got > 4;
  }
  default: {
    struct pollfd files[3] = {{0, POLLIN}, {1, POLLOUT}, {7, POLLIN}};
    return poll(files, n, 0) > 3;
  }
  }
}
