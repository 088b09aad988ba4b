//@ run: --check uninit --sym-stdin 1
//@ exit: 0
//@ why: printf looks up digits at an index that depends on the input, in a buffer of which it wrote the end
#include <stdio.h>

int main(void) {
  int c = getchar();
  if (c < 0)
    return 1;
  printf("%d %x\n", c * 3 - 100, c);
  return 0;
}
