//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: SIGTERM ends the program before the handler of SIGUSR1, which was delivered first, begins
#include <signal.h>
#include <stdio.h>

static void handler(int signal) {
  puts("never");
  fflush(stdout);
}

int main(void) {
  sigset_t set;
  signal(SIGUSR1, handler);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGTERM);
  raise(SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &set, 0);
  return 0;
}
