//@ paths: 1 completed, 0 errors
//@ run: --check uninit
//@ exit: 0
//@ why: calloc and static objects are zero
#include <stdlib.h>

static int zero[4];

int main(void) {
  int *p = calloc(4, sizeof *p);
  for (int i = 0; i < 4; i++)
    if (p[i] != zero[i])
      return 1;
  free(p);
  return 0;
}
