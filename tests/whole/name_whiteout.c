//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: RENAME_WHITEOUT
//@ why: such a name is a device that nothing else makes
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  mkdir("a", 0700);
  return syscall(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "b", 4) == -1;
}
