//@ run: --sym-stdin 1
//@ exit: 2
//@ incomplete: dup: the limits of the process are some of many
//@ incomplete: fcntl: it is refused, as by a kernel without it
//@ incomplete: flock: nothing else has a lock
//@ incomplete: ioctl: it is refused, as by a kernel without it
//@ incomplete: open: a file of the host
//@ incomplete: mkdir: a file of the host
//@ incomplete: fchown: the user is one of many
//@ incomplete: open: file systems differ
//@ incomplete: open: whether a stream is a terminal
//@ incomplete: fcntl: the machine is one of many
//@ why: what limits, other processes, kernels, file systems and users decide is not the only answer
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  int file = open("x", O_RDWR | O_CREAT, 0644);
  int ends[2], count = 0;
  long value;
  char which;
  if (read(0, &which, 1) != 1 || pipe(ends) != 0)
    return 1;
  switch (which) {
  case 0:
    while (dup(1) >= 0)
      count++;
    return count == 1000;
  case 1: return fcntl(ends[0], 1031, 4096) < 0;
  case 2: return flock(file, LOCK_EX | LOCK_NB) < 0;
  case 3: return ioctl(file, 0x80086601, &value) < 0;
  case 4: return open("/tmp/x", O_CREAT | O_EXCL | O_RDWR, 0600) < 0;
  case 5: return mkdir("/tmp/x", 0700) < 0;
  case 6: return fchown(file, 1000, 1000) < 0;
  case 7: return open("y", O_RDWR | O_CREAT | O_DIRECT, 0644) < 0;
  case 8: return open("/dev/tty", O_RDWR) < 0;
  case 9: return fcntl(ends[0], 1032) == 65536;
  default: return 0;
  }
}
