//@ run: --sym-stdin 4
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: float_behind_library.c:17:23 and
//@ replay: all
//@ why: what is done on one value is in the program, whatever of the library ran before and behind it
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  float number;
  char bytes[4];
  if (read(0, bytes, sizeof bytes) != sizeof bytes)
    return 9;
  memcpy(&number, bytes, sizeof number);
  float more = number * 2.5f;
  puts("done");
  return more > 100;
}
