//@ run: -O2
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: address_comparison_without_place.cc:1
//@ why: a comparison of the program's own, of which nothing says where it is, beside a range test of the C++ library
#include <__utility/is_pointer_in_range.h>

static char first[8], second[8], third[8];
static char *volatile pointers[3] = {first, second, third};

// Code without places, as bitcode of other compilers has it.
__attribute__((always_inline, nodebug)) static inline bool is_below(const char *a, const char *b) {
  return a < b;
}

int main() {
  char *begin = pointers[0], *other = pointers[1], *own = pointers[2];
  bool inside = std::__is_pointer_in_range(begin, begin + 8, other);
  return inside + is_below(own, begin);
}
