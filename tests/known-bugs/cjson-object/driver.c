// Parses a text of seven bytes that does not end in a zero.
#include "cJSON.h"
#include <klee/klee.h>
#include <stdlib.h>

enum { LENGTH = 7 };

int main(void) {
  char *text = malloc(LENGTH);
  klee_make_symbolic(text, LENGTH, "text");
  for (int i = 0; i < LENGTH; i++)
    klee_assume((text[i] < '0') | (text[i] > '9'));
  cJSON_Delete(cJSON_ParseWithLength(text, LENGTH));
  free(text);
  return 0;
}
