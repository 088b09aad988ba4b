//@ paths: 2 completed, 1 errors
//@ finding: uninit 14 uninitialised
//@ run: --check uninit
//@ exit: 1
//@ why: in the second round the buffer is a new one, which only the first round writes
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  for (int i = 0; i < 2; i++) {
    unsigned char buffer[4];
    if (i == 0 || x > 9) for (int k = 0; k < 4; k++) buffer[k] = x;
    if (buffer[2] > 20) return 1;
  }
  return 0;
}
