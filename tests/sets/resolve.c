/* One read at a symbolic 64-bit index that nothing constrains: which object is it in? (PARTI, 4.1.1)
 * BITS is the width of an element, N the number of elements; the other objects are in the way. */
#include <stdint.h>
#include <stdlib.h>
void klee_make_symbolic(void *addr, unsigned long size, const char *name);
#if BITS == 8
typedef uint8_t element;
#elif BITS == 16
typedef uint16_t element;
#elif BITS == 32
typedef uint32_t element;
#else
typedef uint64_t element;
#endif
#ifndef OTHERS
#define OTHERS 100
#endif
static void *others[OTHERS];
int main(void) {
  for (int k = 0; k < OTHERS; k++) others[k] = calloc(1, 16 + 24 * (k % 5));
  element *a = calloc(N, sizeof(element));
  uint64_t i;
  klee_make_symbolic(&i, sizeof i, "i");
  element v = a[i];
  (void)v;
  return others[0] == 0;
}
