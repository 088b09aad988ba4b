//@ run: --sym-random
//@ exit: 1
//@ paths: 1 completed, 1 errors, 0 stopped
//@ finding: assert 17
//@ why: random bytes that are an input are stored at the unknown offset of the buffer; other bytes stay what they were
#include <klee/klee.h>
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  char bytes[64] = {0};
  unsigned at = klee_range(0, 32, "at");
  int device = open("/dev/urandom", O_RDONLY);
  klee_assert(read(device, bytes + at, 4) == 4);
  klee_assert(bytes[at + 4] == 0);
  assert(bytes[at] != 7);
  return 0;
}
