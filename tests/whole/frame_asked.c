//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: frame_asked.c:11:17: __builtin_frame_address: where the stack is is one of many
//@ incomplete: frame_asked.c:12:16: __builtin_return_address: where code is is one of many
//@ incomplete: frame_asked.c:13:26: __builtin_readcyclecounter: the number of cycles is one of many
//@ incomplete: frame_asked.c:14:25: __builtin_readcyclecounter: the number of cycles is one of many
//@ why: a compiler can be asked for them; none of them is null, and time does not go back
#include <stdlib.h>

int main(void) {
  char *frame = __builtin_frame_address(0);
  void *back = __builtin_return_address(0);
  unsigned long before = __builtin_readcyclecounter();
  unsigned long after = __builtin_readcyclecounter();
  if (frame == 0 || back == 0 || after < before)
    abort();
  return 0;
}
