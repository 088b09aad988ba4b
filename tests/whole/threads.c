//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: threads.c:18: a second thread
//@ why: threads are not modelled; the path that starts one is not explored, and nothing is concluded from a refusal
#include <pthread.h>

static int count;

static void *add(void *argument) {
  count++;
  return argument;
}

int main(void) {
  pthread_t thread;
  count++;
  // A race: 1 or 2.
  if (pthread_create(&thread, 0, add, 0))
    return 7;
  return count;
}
