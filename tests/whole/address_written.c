//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is printed
//@ why: a pointer's bytes are written
#include <unistd.h>

int main(void) {
  int x = 0, *pointer = &x;
  char text[24] = "pointer:";
  __builtin_memcpy(text + 9, &pointer, sizeof pointer);
  return write(1, text, sizeof text) != sizeof text;
}
