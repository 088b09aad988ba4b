//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: syscall_few_arguments.c:15:7: statx: inode numbers
//@ why: what variadic words hold above an int, and behind the last argument, is not the call's business
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  int folder = syscall(SYS_openat, AT_FDCWD, ".", O_RDONLY, 0);
  struct statx status;
  if (syscall(SYS_statx, folder, "", AT_EMPTY_PATH, STATX_TYPE, &status))
    return 1;
  return folder < 0 || !S_ISDIR(status.stx_mode);
}
