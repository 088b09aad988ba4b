//@ exit: 2
//@ incomplete: writev_symbolic_buffer.c:13
//@ incomplete: writev_symbolic_buffer.c:20
//@ run: --efault
//@ paths: 4 completed, 0 errors, 0 stopped
//@ why: null, either byte of an object, and all addresses where nothing is; an input is compared with an address, which is one of many
#include <errno.h>
#include <klee/klee.h>
#include <stdint.h>
#include <sys/uio.h>

int main(void) {
  uint64_t address;
  klee_make_symbolic(&address, sizeof address, "address");
  static char text[2] = "ab";
  uint64_t begin = (uint64_t)text;
  klee_assume(address < 0x1000 | address > (1ul << 63) | address - begin < 2);
  struct iovec part = {(void *)address, 1};
  long written = writev(1, &part, 1);
  klee_assert(written == 1 ? address - begin < 2 : errno == EFAULT);
  return 0;
}
