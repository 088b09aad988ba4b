//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the byte that was there is 7, the ones behind it hold anything
//@ native: no reads memory that was never written
#include <stdlib.h>

int main(void) {
  char *p = malloc(1);
  p[0] = 7;
  p = realloc(p, 4);
  if (p[0] != 7)
    return 1;
  if (p[3] == 9)
    return 2;
  return 0;
}
