//@ paths: 3 completed, 0 errors
//@ exit: 0
//@ native: x=0..255
//@ why: offsets are one of two, without a jump: 0 or 1 by x < 100, then overlapping and unaligned ones, then in an
//@ why: object whose size depends on x; the only jumps are the two returns, each possible for some x
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int words[4] = {10, 20, 30, 40};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int few = x < 100, odd = (x & 1) != 0;
  /* One place of two is written, the other stays as it was. */
  words[1 + few] = 7;
  assert(words[1] + words[2] == (few ? 20 + 7 : 7 + 30));
  assert(words[0] == 10 && words[3] == 40);
  assert(words[2 - few] == (few ? 20 : 30));
  /* Places that overlap: bytes 1 to 4, or 3 to 6. */
  unsigned value = 0xaabbccdd;
  memcpy(bytes + 1 + 2 * few, &value, sizeof value);
  unsigned back;
  memcpy(&back, bytes + 1 + 2 * few, sizeof back);
  assert(back == value);
  assert(bytes[0] == 1 && bytes[7] == 8);
  assert(bytes[1] == (few ? 2 : 0xdd) && bytes[6] == (few ? 0xaa : 7));
  assert(bytes[3] == (few ? 0xdd : 0xbb) && bytes[4] == (few ? 0xcc : 0xaa));
  /* Four places, by two conditions, in an object of unknown size. */
  char *text = malloc(4 + few);
  if (!text)
    return 3;
  memset(text, 'a', 4);
  text[few + 2 * odd] = 0;
  assert(text[0] + text[1] + text[2] + text[3] == 3 * 'a');
  if (text[0] == 0)
    return 1;
  if (text[3] == 0)
    return 2;
  free(text);
  return 0;
}
