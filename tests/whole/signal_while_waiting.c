//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: a set of signals that a call waits with holds until the handlers have run
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int count;
static sigset_t inside;

static void handler(int signal) {
  count++;
  sigprocmask(SIG_BLOCK, 0, &inside);
}

int main(void) {
  sigset_t set, none, now;
  struct timespec zero = {0, 0};
  int ends[2];
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler);
  sigemptyset(&none);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGUSR1);
  raise(SIGUSR2);
  assert(sigsuspend(&none) == -1 && errno == EINTR && count == 2);
  // The first frame was that of SIGUSR1, so its handler is the last.
  assert(sigismember(&inside, SIGUSR1) && !sigismember(&inside, SIGUSR2));
  sigprocmask(SIG_BLOCK, 0, &now);
  assert(sigismember(&now, SIGUSR1) && sigismember(&now, SIGUSR2));
  pipe(ends);
  struct pollfd file = {ends[0], POLLIN, 0};
  raise(SIGUSR1);
  assert(ppoll(&file, 1, &zero, 0) == 0 && count == 2);
  assert(ppoll(&file, 1, &zero, &none) == -1 && errno == EINTR && count == 3);
  raise(SIGUSR1);
  file.fd = ends[1];
  file.events = POLLOUT;
  assert(ppoll(&file, 1, 0, &none) == 1 && count == 3);
  assert(pselect(0, 0, 0, 0, 0, &none) == -1 && errno == EINTR && count == 4);
  return 0;
}
