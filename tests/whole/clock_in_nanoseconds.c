//@ run: --sym-clock
//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ why: that a clock does not go back is decided at once for times in nanoseconds, which programs compare and subtract
#include <assert.h>
#include <time.h>

static long long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(void) {
  long long first = now(CLOCK_MONOTONIC);
  long long second = now(CLOCK_MONOTONIC);
  assert(second >= first);
  long long other = now(CLOCK_REALTIME);
  assert(now(CLOCK_REALTIME) >= other);
  if (second - first > 1000000)
    return 1;
  return 0;
}
