//@ run: --sym-random
//@ exit: 1
//@ paths: 2 completed, 1 errors, 0 stopped
//@ finding: assert 17
//@ why: a byte of each source, and one combination is an error
#include <assert.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

int main(void) {
  unsigned char byte = 0, more = 0;
  getrandom(&byte, 1, 0);
  int device = open("/dev/random", O_RDONLY);
  read(device, &more, 1);
  if (byte == 7)
    assert(more != 9);
  return 0;
}
