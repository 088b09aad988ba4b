//@ paths: 2 completed, 1 errors
//@ finding: ptr 14 null
//@ test: error i=1
//@ exit: 1
//@ native: objects
//@ why: two objects, and a null pointer between them
#include <klee/klee.h>

static int a = 1, b = 2;
static int *table[3] = {&a, 0, &b};

int main(void) {
  int i = klee_range(0, 3, "i");
  return *table[i];
}
