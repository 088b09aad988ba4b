//@ partial: a pointer may be to an object that has ended or to the one in its place
//@ exit: 2
//@ native: no, where objects lie is the allocator's matter
//@ why: one pointer left its object for an address that is another object's end; the pointers to that end go back into it
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  if (i > 1 || j > 1)
    return 0;
  char *a = calloc(1, 16), *b = calloc(1, 16), *c = calloc(1, 16);
  char *before[2] = {b - 16, c - 16};
  char *q = before[j];
  char *ends[2] = {a + 16, c + 16};
  char *p = ends[i] - 1;
  *p = 3;
  return q[16];
}
