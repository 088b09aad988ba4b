//@ exit: 0
//@ why: pointers that are null are not among those that are subtracted: the index is not beyond the table, and null was looked for
#include <klee/klee.h>
#include <stddef.h>
#include <stdint.h>

char text[8];
char *places[3] = {text, text + 2, text + 5};
char *found[2] = {0, text + 3};

int main(void) {
  unsigned i = klee_range(0, 3, "i"), j = klee_range(0, 2, "j");
  ptrdiff_t at = places[i] - text;
  char *p = found[j];
  if (p)
    at += p - text;
  return at == 8;
}
