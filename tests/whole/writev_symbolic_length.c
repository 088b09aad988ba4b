//@ exit: 0
//@ paths: 4 completed, 0 errors, 0 stopped
//@ why: each length is a path; a widened number whose upper bytes are known was asked for again and again
#include <klee/klee.h>
#include <sys/uio.h>

int main(void) {
  unsigned length;
  klee_make_symbolic(&length, sizeof length, "length");
  klee_assume(length < 4);
  char text[] = "abcdefg";
  struct iovec parts[1] = {{text, length}};
  return writev(1, parts, 1) != (long)length;
}
