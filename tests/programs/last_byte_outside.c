//@ paths: 1 completed, 1 errors
//@ finding: ptr 15 outside
//@ exit: 1
//@ native: i=0..9
//@ why: 4 bytes at offset i fit into 8 up to i = 4; a part outside counts as outside
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  char *p = calloc(8, 1);
  struct { uint32_t word; } __attribute__((packed)) *at = (void *)(p + i);
  return at->word != 0;
}
