//@ run: --sym-stdin 8
//@ exit: 0
//@ paths: 2 completed, 0 errors, 0 stopped
//@ why: addresses far inside of a large object, at places known and unknown, a distance computed as `n - p + q`, and a tag
//@ why: above an address are the same in every layout
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static char large[20000000];

int main(void) {
  uint64_t n;
  if (read(0, &n, sizeof n) != sizeof n)
    return 9;
  volatile long far = 19000000;
  char *p = large + far, *q = p - far;
  if (!p || !q || p[-15000000] || large[18000000])
    return 1;
  char *end = large + sizeof large;
  volatile uintptr_t number = 1ul << 40, less = number - (uintptr_t)p;
  if (less + (uintptr_t)end != number + 1000000)
    return 2;
  uintptr_t tagged = (uintptr_t)p + (5ul << 48);
  if (tagged >> 48 != 5 || !(char *)(tagged - (5ul << 48)))
    return 3;
  if (n >= sizeof large)
    return 4;
  char *at = large + n;
  if (!at || at < large || at >= end)
    return 5;
  return at - p == 7 ? 6 : 0;
}
