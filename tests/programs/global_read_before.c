//@ paths: 1 completed, 1 errors
//@ finding: ptr 16 outside
//@ test: error i=0
//@ exit: 1
//@ why: i is 0..4 and only 0 - 1 is outside
#include <klee/klee.h>

int before[4] = {9, 9, 9, 9};
int table[4] = {1, 2, 3, 4};
int behind[4] = {9, 9, 9, 9};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 4);
  return table[i - 1];
}
