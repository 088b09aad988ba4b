//@ paths: 1 completed, 1 errors
//@ finding: bad_vector_access 15 vector
//@ exit: 1
//@ native: no natively the index is cut
//@ why: a vector has four elements, the index may be 4
#include <klee/klee.h>

typedef int four __attribute__((vector_size(16)));

int main(void) {
  unsigned char i;
  four v = {1, 2, 3, 4};
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 4);
  return v[i];
}
