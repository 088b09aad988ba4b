//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: which handler a signal has depends on the input: a path for each
#include <klee/klee.h>
#include <signal.h>

static int seen;

static void one(int signal) {
  seen = 1;
}

static void two(int signal) {
  seen = 2;
}

static void (*const table[2])(int) = {one, two};

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, 1, "c");
  signal(SIGUSR1, table[c & 1]);
  raise(SIGUSR1);
  return seen;
}
