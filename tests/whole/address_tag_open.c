//@ run: --sym-stdin 9
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: what is above the address is an input, under which it may be the number in one layout of many
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char in[9];
  if (read(0, in, sizeof in) != sizeof in)
    return 9;
  uint64_t tag;
  memcpy(&tag, in, sizeof tag);
  char *block = malloc(16);
  char *places[2] = {block, block + 1};
  uintptr_t tagged = (uintptr_t)places[in[8] & 1] + (tag << 47);
  int same = (char *)tagged == (char *)0x855555555010;
  free(block);
  return same;
}
