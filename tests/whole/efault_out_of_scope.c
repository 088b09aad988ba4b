//@ run: --efault
//@ exit: 1
//@ paths: 0 completed, 1 errors, 0 stopped
//@ finding: ptr 27
//@ incomplete: an address is used as a number
//@ why: a number that is inside of a variable out of its scope is no address where nothing is: the system may well read there. The
//@ why: line is the one of the library's `open`
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

static uintptr_t hidden;

int main(void) {
  {
    char name[8] = "A";
    hidden = (uintptr_t)name ^ 0x5555;
  }
  const char *again = (const char *)(hidden ^ 0x5555);
  if (open(again, O_RDONLY) < 0 && errno == EFAULT)
    return 5;
  return 0;
}
