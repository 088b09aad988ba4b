//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: random_bytes.c:12:3: getrandom: random bytes are some of many; --sym-random makes them symbolic
//@ incomplete: random_bytes.c:14:3: read: random bytes are some of many; --sym-random makes them symbolic
//@ why: by system call and by device
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

int main(void) {
  unsigned char bytes[2] = {0}, more = 0;
  getrandom(bytes, sizeof bytes, 0);
  int device = open("/dev/urandom", O_RDONLY);
  read(device, &more, 1);
  return (bytes[0] ^ bytes[1] ^ more) & 1;
}
