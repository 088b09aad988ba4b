//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: objects
//@ why: two choices one behind the other, each of two objects
#include <klee/klee.h>

static int w = 1, x = 2, y = 3, z = 4;
static int *left[2] = {&w, &x}, *right[2] = {&y, &z};
static int **top[2] = {left, right};

int main(void) {
  int i = klee_range(0, 2, "i"), j = klee_range(0, 2, "j");
  int **row = top[i];
  return *row[j];
}
