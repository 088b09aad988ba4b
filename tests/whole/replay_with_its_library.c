//@ run: --sym-stdin 1
//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: musl has other messages and other random numbers than the host's library; a replay builds the source with what it was explored with
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  srand(1);
  if (getchar() == 'r')
    printf("%d\n", rand());
  else
    puts(strerror(0));
  return 0;
}
