//@ finding: abort 13 abort
//@ exit: 1
//@ native: size=0..4 data=[70,85,90,0]
//@ why: the three bytes can be found; how long inputs are is an option, so paths are not counted
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  if (data[0] == 'F' && data[1] == 'U' && data[2] == 'Z')
    abort();
  return 0;
}
