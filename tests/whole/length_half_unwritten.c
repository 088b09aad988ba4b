//@ exit: 1
//@ finding: ptr 27
//@ paths: 1 completed, 1 errors, 0 stopped
//@ why: the upper half of the length was never written, so it may be anything: only syscall() fills it. The line is that of the system call in the library
#include <string.h>
#include <unistd.h>

int main(void) {
  unsigned three = 3;
  size_t length;
  memcpy(&length, &three, sizeof three); write(1, "abc", length);
  return 0;
}
