//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: tags below and above an address, and an address as a number that is compared with 0
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

static jmp_buf back;

int main(void) {
  char *block = malloc(8);
  uintptr_t number = (uintptr_t)block | (uintptr_t)0xabc << 48 | 5;
  if (!number || (number & 7) != 5 || number >> 48 != 0xabc)
    return 1;
  char *again = (char *)(number & 0xfffffffffff8);
  if (!again || again != block)
    return 2;
  again[0] = 3;
  if (setjmp(back))
    return block[0] == 3 ? 0 : 3;
  longjmp(back, 1);
}
