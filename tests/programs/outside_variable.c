//@ run: --outside object
//@ paths: 2 completed, 2 errors
//@ finding: ptr 15 outside
//@ finding: assert 16
//@ native: no: which object an index reaches is a matter of the layout
//@ why: a variable whose address nobody takes is reached all the same: the index stays inside, hits it, or hits nothing
#include <assert.h>
#include <klee/klee.h>
int main(void) {
  int hit = 1;
  char room[4] = {0};
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 100);
  room[i] = 7;
  assert(hit == 1);
  return 0;
}
