//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a buffer of setjmp holds addresses
#include <setjmp.h>

static jmp_buf buffer;

int main(void) {
  if (setjmp(buffer))
    return 1;
  const unsigned char *bytes = (const unsigned char *)buffer;
  int sum = 0;
  for (int i = 0; i < 64; i++)
    sum += bytes[i];
  return sum == 1234;
}
