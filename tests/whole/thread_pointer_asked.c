//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: the segment register fs
//@ why: the library keeps the thread pointer to itself
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  unsigned long pointer = 0;
  syscall(SYS_arch_prctl, 0x1003, &pointer);
  return pointer == 0;
}
