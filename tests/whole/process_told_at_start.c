//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: process_told_at_start.c:10:10: set_tid_address: the numbers of processes are some of many
//@ why: the call returns the number of the thread
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  static int word;
  return syscall(SYS_set_tid_address, &word) == 4242;
}
