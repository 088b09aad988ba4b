//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: objects
//@ why: two entries lead into one object at different offsets, which is one path; the other object is another
#include <klee/klee.h>

static int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
static int *table[3] = {&a[0], &a[3], &b[1]};

int main(void) {
  int i = klee_range(0, 3, "i");
  return *table[i];
}
