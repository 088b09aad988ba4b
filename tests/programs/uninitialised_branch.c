//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: no uninitialised memory is an input
//@ why: an uninitialised byte may be anything, so the branch on it has two sides
#include <stdlib.h>

int main(void) {
  unsigned char *p = malloc(1);
  if (*p > 3)
    return 1;
  return 0;
}
