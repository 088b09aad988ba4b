//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: threads_ignored.c:16: a second thread
//@ why: the same where the result of pthread_create is ignored: no finding inside of the library
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) {
  return malloc(*(int *)argument);
}

int main(void) {
  pthread_t thread;
  int size = 8;
  void *made;
  pthread_create(&thread, 0, work, &size);
  pthread_join(thread, &made);
  free(made);
  return 0;
}
