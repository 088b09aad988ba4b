//@ run: --sym-stdin 4
//@ exit: 1
//@ paths: 2 completed, 1 errors, 0 stopped
//@ finding: ptr 27
//@ why: a buffer somewhere in an object is one case for each call: what is read is stored at the unknown offset, what is written is loaded there; without room for all of it, which is an error wherever it begins, another; the line is that of the system call in musl
#include <klee/klee.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char bytes[300];
  memset(bytes, '.', sizeof bytes);
  unsigned at = klee_range(0, 290, "at");
  long got = read(0, bytes + at, 4);
  klee_assert(got == 4 && pread(0, bytes + at + 4, 2, 1) == 2);
  klee_assert(bytes[at] == bytes[at] && bytes[at + 4] == bytes[at + 1]);
  bytes[at] = '!';
  if (at < 200)
    return write(1, bytes + at, 3) != 3;
  return write(1, bytes + at, 12) != 12 + (bytes[295] == 'x') + (bytes[200] == '!');
}
