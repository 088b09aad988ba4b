//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: writev: an address is printed
//@ why: what a stream writes is the program's output, although the library asks how to buffer it
#include <stdio.h>
#include <string.h>

static char bytes[2000];

int main(void) {
  void *pointer = bytes;
  memcpy(bytes + 1000, &pointer, sizeof pointer);
  fwrite(bytes, 1, sizeof bytes, stdout);
  return 0;
}
