//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: clone_by_number.c:10: a second process or thread (clone)
//@ why: one path, whatever the unwritten arguments are
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  return syscall(SYS_clone, 17, 0);
}
