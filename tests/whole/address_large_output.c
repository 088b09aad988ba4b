//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: write: an address is printed
//@ why: an address behind two megabytes of output
#include <string.h>
#include <unistd.h>

static char bytes[3 << 20];

int main(void) {
  void *pointer = bytes;
  memcpy(bytes + (2 << 20), &pointer, sizeof pointer);
  write(1, bytes, sizeof bytes);
  return 0;
}
