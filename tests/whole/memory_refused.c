//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: memory_refused.c:8:17: malloc: memory is refused
//@ why: another machine has room for it; one with more bytes than there are addresses has no machine
#include <stdlib.h>

int main(void) {
  char *large = malloc(1ul << 42);
  char *huge = malloc(-1ul);
  return large != 0 || huge != 0;
}
