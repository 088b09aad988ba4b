//@ exit: 2
//@ incomplete: address_far_before.c:19
//@ incomplete: address_far_before.c:23
//@ incomplete: address_far_before.c:25
//@ incomplete: address_far_before.c:29
//@ why: an address less a number may be null: by an index, by a constant that the compiler computes, in the first content
//@ why: of a variable, and by an input
#include <klee/klee.h>
#include <stdlib.h>

static char table[8];
static char *begin = table - 0x555555558014;

static int is_null(const char *p) {
  return !p;
}

int main(void) {
  long index = -0x5555555592a0;
  char *block = malloc(8), *there = &block[index];
  if (there == NULL)
    return 1;
  if (is_null(table - 0x555555558014))
    return 2;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < -0x555555550000 & index > -0x55555555a000);
  if (!begin)
    return 3;
  if (!&block[index])
    return 4;
  return 0;
}
