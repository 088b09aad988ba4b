//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: an int where a word is taken: the upper half of its place in the arguments was never written
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  long written = syscall(SYS_write, 1, "hi\n", 3);
  return written != 3;
}
