/* Sums of N inputs with two values each have 2^N values (PARTI, 4.1.2). With CONTROL the product
 * that no set can hold is left out. One path. */
#include <stdint.h>
void klee_make_symbolic(void *addr, unsigned long size, const char *name);
void klee_assume(unsigned long condition);
int main(void) {
  uint32_t sum = 0;
  for (int i = 1; i <= N; i++) {
    uint32_t v;
    klee_make_symbolic(&v, sizeof v, "v");
    klee_assume((v == 0) | (v == (uint32_t)1 << i));
    sum += v;
  }
#ifndef CONTROL
  uint32_t factor;
  klee_make_symbolic(&factor, sizeof factor, "factor");
  klee_assume(factor <= 1);
  sum *= factor;
#endif
  klee_assume(sum > (uint32_t)1 << (N - 1));
  return 0;
}
