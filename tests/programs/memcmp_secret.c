//@ finding: assert 13 memcmp
//@ test: error k=0xefbeadde
//@ exit: 1
//@ native: k=0,0xefbeadde,0xef,0xde,0xefbe00de
//@ why: four bytes have to be found
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char k[4];
  klee_make_symbolic(k, sizeof k, "k");
  assert(memcmp(k, "\xde\xad\xbe\xef", 4) != 0);
  return 0;
}
