//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: a futex that inherits priority
//@ why: whether Linux has such futexes decides what the program is told
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  return pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
}
