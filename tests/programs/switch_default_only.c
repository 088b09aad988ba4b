//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: a switch with only a default chooses nothing
#include <klee/klee.h>

int main(void) {
  int x = klee_int("x");
  switch (x) {
  default: return 1;
  }
}
