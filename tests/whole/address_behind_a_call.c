//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: address_behind_a_call.c:15:
//@ why: the comparison belongs to the block of the caller, not to what ran last before it
#include <stdlib.h>

static int number(int count) {
  if (count > 3)
    return 1;
  return 0;
}

int main(int argc, char **argv) {
  // One block.
  char *first = malloc(4);
  char *second = malloc(4);
  return number(argc) + (first < second);
}
