//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: clock.c:10:16: clock_gettime: the time is one of many
//@ replay: all
//@ why: one time of many was explored, and its test holds it
#include <stdlib.h>
#include <time.h>

int main(void) {
  time_t now = time(0);
  return now % 2;
}
