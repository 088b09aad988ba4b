//@ exit: 2
//@ paths: 55 completed, 0 errors, 0 stopped
//@ incomplete: fstat: inode numbers
//@ incomplete: ioctl: whether a stream is a terminal
//@ why: each open descriptor is a case of every call, all that are not open are one, negative ones another for poll
#include <errno.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  int fd;
  klee_make_symbolic(&fd, sizeof fd, "fd");
  char bytes[64] = "";
  struct stat about;
  struct iovec part = {bytes, 1};
  long got;
  switch (klee_range(0, 11, "call")) {
  case 0: got = close(fd); break;
  case 1: got = read(fd, bytes, 1); break;
  case 2: got = write(fd, bytes, 1); break;
  case 3: got = lseek(fd, 0, SEEK_CUR); break;
  case 4: got = fstat(fd, &about); break;
  case 5: got = dup(fd); break;
  case 6: got = fcntl(fd, F_GETFL); break;
  case 7: got = ioctl(fd, FIONREAD, bytes); break;
  case 8: got = writev(fd, &part, 1); break;
  case 9: got = isatty(fd); break;
  default: {
    struct pollfd wanted = {fd, POLLOUT};
    got = poll(&wanted, 1, 0);
    int open = fd >= 0 && fd <= 2;
    klee_assert(!(wanted.revents & POLLNVAL) == !(fd > 2));
    klee_assert(open || got == (fd > 2));
    return 0;
  }
  }
  if (fd < 0 || fd > 2)
    klee_assert(got <= 0 && errno == EBADF);
  return 0;
}
