//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: signals that wait are delivered when they are not blocked any more, the lowest number first, and the kernel puts the
//@ why: frame of each upon that of the one before, so that the last begins; what a handler blocks waits for its end;
//@ why: of a real-time signal several wait, of others one
#include <signal.h>
#include <stdio.h>

static char order[40];
static int seen, again;

static void note(char c) {
  order[seen++] = c;
}

static void handler(int signal) {
  note(signal == SIGUSR1 ? '1' : signal == SIGUSR2 ? '2' : signal == SIGHUP ? 'h' : signal == SIGSEGV ? 's' : 'r');
  if (signal == SIGUSR1 && again++ == 0) {
    raise(SIGUSR2);
    raise(SIGUSR1);
    raise(SIGUSR1);
  }
  note('.');
}

static void on(int signal, int blocks, int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  if (blocks)
    sigaddset(&action.sa_mask, blocks);
  sigaction(signal, &action, 0);
}

int main(void) {
  sigset_t set;
  on(SIGUSR1, SIGUSR2, 0);
  on(SIGUSR2, 0, 0);
  raise(SIGUSR1);
  puts(order);
  on(SIGUSR1, 0, 0);
  on(SIGHUP, 0, 0);
  on(SIGSEGV, 0, 0);
  on(SIGRTMIN, 0, 0);
  sigfillset(&set);
  sigprocmask(SIG_SETMASK, &set, 0);
  raise(SIGRTMIN);
  raise(SIGUSR2);
  raise(SIGUSR1);
  raise(SIGUSR1);
  raise(SIGRTMIN);
  raise(SIGSEGV);
  raise(SIGHUP);
  sigemptyset(&set);
  seen = 0;
  sigprocmask(SIG_SETMASK, &set, 0);
  order[seen] = 0;
  puts(order);
  return 0;
}
