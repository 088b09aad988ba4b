/* Makes memory first (-DBYTES=n in one object, or -DSMALL_OBJECTS=n), then 2^BRANCHES paths. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef BRANCHES
#define BRANCHES 11
#endif
static void *keep;
int main(void) {
#ifdef SMALL_OBJECTS
  for (long i = 0; i < SMALL_OBJECTS; i++) {
    void **object = malloc(16);
    *object = keep;
    keep = object;
  }
#else
  char *block = calloc(BYTES, 1);
  for (long i = 0; i < BYTES; i += 4096) block[i] = 1;
  keep = block;
#endif
  char bits[BRANCHES + 1];
  klee_make_symbolic(bits, sizeof bits, "bits");
  int ones = 0;
  for (int i = 0; i < BRANCHES; i++)
    if (bits[i]) {
      ones++;
      *(char *)keep = (char)ones;
    }
  return ones;
}
