//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: %p shows where an object is
#include <stdio.h>

int main(void) {
  int x = 0;
  char text[32];
  snprintf(text, sizeof text, "%p", (void *)&x);
  return text[4] == 'f';
}
