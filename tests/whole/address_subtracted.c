//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: the position is `n + (q - p)` with two addresses in the stream's buffer, which the optimiser computes as
//@ why: `n - p + q`: the same in every layout
#include <stdio.h>

int main(void) {
  FILE *file = fopen("t", "w+");
  if (!file)
    return 1;
  fputs("hello", file);
  if (ftell(file) != 5)
    return 2;
  rewind(file);
  if (fgetc(file) != 'h' || ftell(file) != 1 || fseek(file, 2, SEEK_CUR) != 0)
    return 3;
  return ftell(file) == 3 ? 0 : 4;
}
