//@ run: --sym-clock
//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: even and odd seconds; a clock does not go back, and shows what was slept
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  time_t first = time(0);
  sleep(3);
  struct timeval then;
  gettimeofday(&then, 0);
  if (then.tv_sec - first < 3 || then.tv_usec >= 1000000)
    __builtin_trap();
  if (first % 2)
    return 1;
  return 0;
}
