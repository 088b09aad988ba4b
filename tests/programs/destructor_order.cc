//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: locals are destroyed in reverse order on both ways out
#include <klee/klee.h>

static int trace;

struct Mark {
  int digit;
  explicit Mark(int d) : digit(d) {}
  ~Mark() { trace = trace * 10 + digit; }
};

static void work(unsigned char x) {
  Mark one(1);
  if (x > 9)
    return;
  Mark two(2);
}

int main() {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  work(x);
  klee_assert(trace == (x > 9 ? 1 : 21));
  return 0;
}
