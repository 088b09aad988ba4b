//@ run: --sym-clock
//@ exit: 1
//@ paths: 1 completed, 1 errors, 0 stopped
//@ finding: assert 14
//@ why: a process computes nothing while it sleeps
#include <assert.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  struct timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  sleep(2);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  assert(after.tv_sec - before.tv_sec >= 2);
  return 0;
}
