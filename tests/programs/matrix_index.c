//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: the diagonal holds 1, the rest 0
#include <klee/klee.h>

int main(void) {
  char unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int row = klee_range(0, 3, "row"), column = klee_range(0, 3, "column");
  if (unit[row][column])
    klee_assert(row == column);
  return 0;
}
