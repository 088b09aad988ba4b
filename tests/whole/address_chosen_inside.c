//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ why: chosen pointers with offsets inside of their objects are equal in no other layout, and null is none of them
#include <klee/klee.h>
#include <stddef.h>
static int a[4], b[4], c[3];
static int *table[4] = {a, b, NULL, c};
int main(void) {
  int i = klee_range(0, 4, "i"), j = klee_range(0, 4, "j"), k = klee_range(0, 3, "k");
  int same = table[i] == table[j];
  int *p = (i == 2 ? a : table[i]) + k;
  same += p == b + 1;
  same += table[j] == NULL;
  return same > 3;
}
