//@ exit: 2
//@ incomplete: chosen_pointer_through_integer.c:15
//@ why: an input chooses a pointer that becomes an integer and a pointer again; 64 behind it is another object, which the
//@ why: address may mean. That is no error, and the tests end as the concrete machine does
#include <klee/klee.h>
#include <stdint.h>

static unsigned char first[16], second[128];
unsigned char *keep[2] = {first, second};
static unsigned char *table[2] = {first, first + 4};

int main(void) {
  unsigned i = klee_range(0, 2, "i");
  unsigned char *at = (unsigned char *)(uintptr_t)table[i];
  at[64] = 7;
  return 0;
}
