//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: objects
//@ why: two constant strings, a path for each object
#include <klee/klee.h>

static const char *const words[2] = {"yes", "no"};

int main(void) {
  int i = klee_range(0, 2, "i");
  return words[i][1];
}
