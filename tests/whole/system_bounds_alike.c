//@ exit: 0
//@ paths: 34 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: bounds between which no descriptor is open are alike, numbers of files between which no set has a member, least numbers that lead to the same free one
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  unsigned first, last;
  klee_make_symbolic(&first, sizeof first, "first");
  klee_make_symbolic(&last, sizeof last, "last");
  switch (klee_range(0, 4, "call")) {
  case 0: {
    int failed = syscall(SYS_close_range, first, last, 0);
    klee_assert((failed && errno == EINVAL) == (first > last));
    int open = 0;
    for (int fd = 0; fd < 3; fd++)
      open |= (fcntl(fd, F_GETFD) >= 0) << fd;
    return open;
  }
  case 1: {
    // One number is both bounds.
    klee_assert(syscall(SYS_close_range, first, first, 0) == 0);
    return 3 - (fcntl(0, F_GETFD) >= 0) - (fcntl(1, F_GETFD) >= 0) - (fcntl(2, F_GETFD) >= 0);
  }
  case 2: {
    klee_assume(first <= 3);
    return fcntl(0, F_DUPFD, first) != 3;
  }
  default: {
    struct timeval none = {0, 0};
    fd_set files;
    FD_ZERO(&files);
    FD_SET(1, &files);
    FD_SET(3, &files);
    int ready = select((int)first, 0, &files, 0, &none);
    klee_assert((int)first >= 4 ? ready < 0 && errno == EBADF : ready == ((int)first < 0 ? -1 : (int)first > 1));
    return ready;
  }
  }
}
