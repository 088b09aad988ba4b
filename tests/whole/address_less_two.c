//@ run: --sym-stdin 8
//@ exit: 2
//@ paths: 2 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a large number less an address twice is another number in every layout
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  uint64_t number;
  if (read(0, &number, sizeof number) != sizeof number)
    return 9;
  char *block = malloc(16);
  uintptr_t at = (uintptr_t)block;
  int odd = 0;
  if (number >> 48 == 5) {
    uint64_t rest = number - at - at;
    odd = rest > 0x5000000000000;
  }
  free(block);
  return odd;
}
