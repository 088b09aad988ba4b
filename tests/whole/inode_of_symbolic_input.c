//@ run: --sym-stdin 2
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: inode_of_symbolic_input.c:10:3: fstat: inode numbers
//@ why: of symbolic input much is symbolic, but not its inode number
#include <sys/stat.h>

int main(void) {
  struct stat status;
  fstat(0, &status);
  return status.st_ino & 1;
}
