//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: answers_of_pipes.c:18:7: write: how much a pipe
//@ incomplete: answers_of_pipes.c:21:10: write: how much a pipe
//@ why: a pipe has room for a page, and mostly for more; how much an output takes that is not waited for is not known
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

static char much[70000];

int main(void) {
  int ends[2];
  pipe2(ends, O_NONBLOCK);
  // A page fits.
  if (write(ends[1], much, 4096) != 4096)
    return 1;
  if (write(ends[1], much, sizeof much) < 0)
    return 2;
  fcntl(1, F_SETFL, O_NONBLOCK);
  return write(1, much, 1) == 1;
}
