//@ run: -O2
//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: a range test of the C++ library that is inlined: whichever way the objects are ordered, it says no
#include <__utility/is_pointer_in_range.h>

static char first[8], second[8], third[8];
static char *volatile pointers[3] = {first, second, third};

int main() {
  char *begin = pointers[0], *other = pointers[1], *own = pointers[2];
  bool inside = std::__is_pointer_in_range(begin, begin + 8, other);
  return inside + (own == begin);
}
