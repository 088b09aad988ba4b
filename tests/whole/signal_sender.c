//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: signal_sender.c:31:3: rt_sigprocmask: a handler is told the process and the user that sent the signal
//@ incomplete: write: a handler is told the process
//@ why: how the signal was sent is known; whose process it was is one of many
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

static int code, same;
static sigset_t mask;

static void handler(int signal, siginfo_t *info, void *context) {
  code = info->si_signo == signal ? info->si_code : 999;
  same = info->si_pid == getpid() && info->si_uid == getuid();
  mask = ((ucontext_t *)context)->uc_sigmask;
}

int main(void) {
  int ends[2];
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGPIPE, &action, 0);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGUSR1);
  assert(code == SI_TKILL && same && sigismember(&mask, SIGUSR2));
  kill(getpid(), SIGUSR1);
  assert(code == SI_USER && same);
  pipe(ends);
  close(ends[0]);
  assert(write(ends[1], "a", 1) == -1 && errno == EPIPE && code == SI_USER && same);
  return 0;
}
