//@ paths: 3 completed, 1 errors
//@ finding: assert 17 total
//@ exit: 1
//@ why: two bits give four ways; both set is the only total of 3
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int total = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  for (int i = 0; i < 2; i++) {
    int weight = i + 1;
    if (x >> i & 1)
      total += weight;
  }
  assert(total < 3);
  return 0;
}
