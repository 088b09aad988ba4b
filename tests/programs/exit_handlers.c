//@ paths: 1 completed, 1 errors
//@ finding: assert 11 count
//@ exit: 1
//@ why: functions registered with atexit run, the last one first; one side leaves the count wrong
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static int count;
static void first(void) { count++; }
static void second(void) { assert(count == 1); }

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  atexit(second);
  if (x & 1)
    atexit(first);
  return 0;
}
