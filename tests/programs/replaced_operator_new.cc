//@ paths: 4 completed, 0 errors
//@ exit: 0
//@ native: no the address sanitiser has its own functions in their place
//@ why: what the program does not replace calls what it replaces: operator new[] and the one that does not throw call operator new, sized and array forms of operator delete the plain one
#include <cassert>
#include <cstdlib>
#include <klee/klee.h>
#include <new>

static char pool[1000];
static size_t used;
static int frees;
void *operator new(size_t n) {
  void *p = pool + used;
  used += (n + 15) & ~15ul;
  return p;
}
void operator delete(void *p) noexcept { frees++; }

struct base { virtual ~base() {} int x; };
struct own {
  static void *operator new(size_t n) { return malloc(n); }
  static void operator delete(void *p) { free(p); }
  int x;
};

int main() {
  switch (klee_range(0, 4, "which")) {
  case 0: delete new int; break;
  case 1: delete[] new int[3]; break;
  case 2: delete[] new (std::nothrow) base[2]; break;
  case 3:
    delete new own;
    assert(used == 0 && frees == 0);
    return 0;
  }
  assert(used > 0 && frees == 1);
}
