//@ run: -O2
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a string is aligned to nothing; the low bits of its address are cut off and masked
#include <stdint.h>

int main(int argc, char **argv) {
  (void)argc;
  return (uintptr_t)argv[0] & 1;
}
