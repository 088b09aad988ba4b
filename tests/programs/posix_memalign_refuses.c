//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: an alignment that is no power of two is EINVAL on every machine, however much memory it has
#include <errno.h>
#include <stdlib.h>

int main(void) {
  void *at = 0;
  return posix_memalign(&at, 24, 10) == EINVAL && posix_memalign(&at, 2, 10) == EINVAL && !at ? 0 : 1;
}
