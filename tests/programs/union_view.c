//@ paths: 3 completed, 0 errors
//@ test: u=0x04030201
//@ exit: 0
//@ native: u=0,1,0x01,0x04030201,0x04000001,0xff000001
//@ why: the lowest byte is 1 or not; then the word is the one or not
#include <klee/klee.h>
#include <stdint.h>

union view {
  uint32_t word;
  unsigned char byte[4];
};

int main(void) {
  union view u;
  klee_make_symbolic(&u, sizeof u, "u");
  if (u.byte[0] != 1)
    return 1;
  if (u.word == 0x04030201)
    return 2;
  return 3;
}
