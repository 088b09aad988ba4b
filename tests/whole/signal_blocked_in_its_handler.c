//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: a signal waits while its own handler runs, unless SA_NODEFER says otherwise; siglongjmp takes the mask back
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static int count, inside, deepest;
static sigjmp_buf back;

static void handler(int signal) {
  inside++;
  if (inside > deepest)
    deepest = inside;
  if (count++ < 2)
    raise(signal);
  inside--;
}

static void leaves(int signal) {
  siglongjmp(back, signal);
}


int main(void) {
  sigset_t now;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1);
  assert(count == 3 && deepest == 1);
  action.sa_flags = SA_NODEFER;
  sigaction(SIGUSR1, &action, 0);
  count = 0;
  raise(SIGUSR1);
  assert(count == 3 && deepest == 3);
  action = (struct sigaction){.sa_handler = leaves};
  sigaction(SIGUSR1, &action, 0);
  volatile int rounds = 0;
  if (sigsetjmp(back, 1) == 0 || rounds < 3) {
    rounds++;
    raise(SIGUSR1);
  }
  sigprocmask(SIG_BLOCK, 0, &now);
  assert(rounds == 3 && !sigismember(&now, SIGUSR1));
  if (sigsetjmp(back, 0) == 0)
    raise(SIGUSR1);
  sigprocmask(SIG_BLOCK, 0, &now);
  assert(sigismember(&now, SIGUSR1));
  return 0;
}
