//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: without arguments there is only the program's name, and the list ends with null
#include <klee/klee.h>

int main(int argc, char **argv) {
  klee_assert(argc == 1);
  klee_assert(argv[0] != 0);
  klee_assert(argv[1] == 0);
  return 0;
}
