//@ run: --sym-clock
//@ exit: 1
//@ finding: assert 16
//@ replay: all
//@ why: a native library may look at other clocks than the model's, here before the one that decides
#include <klee/klee.h>
#include <time.h>

int main(void) {
  struct timespec now;
  if (klee_is_replay())
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  time_t day = time(0);
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (day == 1234567890)
    klee_assert(now.tv_sec != 77);
  return 0;
}
