//@ exit: 1
//@ paths: 0 completed, 1 errors, 0 stopped
//@ finding: abort 28
//@ why: a handler that leaves abort stays, and may leave the next one; the program ends when it returns
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf back;
static int left;

static void handler(int signal) {
  if (left++ < 2)
    siglongjmp(back, 1);
}

int main(void) {
  sigset_t set;
  signal(SIGABRT, handler);
  sigemptyset(&set);
  sigaddset(&set, SIGABRT);
  sigprocmask(SIG_BLOCK, &set, 0);
  for (volatile int i = 0; i < 2; i++)
    if (sigsetjmp(back, 1) == 0)
      abort();
  if (left != 2)
    return 1;
  abort();
}
