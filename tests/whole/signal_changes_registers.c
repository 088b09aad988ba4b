//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: a handler of a signal that changes registers of what it interrupts
//@ incomplete: a handler is told the process
//@ why: the registers of a program are not modelled, and it does not go on elsewhere
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

static void handler(int signal, siginfo_t *info, void *context) {
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1);
  return 0;
}
