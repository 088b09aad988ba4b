/* CRC-32 of unknown bytes, by the usual table of 256 words, compared with a few known sums. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

static unsigned table[256];

static void fill(void) {
  for (unsigned i = 0; i < 256; i++) {
    unsigned c = i;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
}

int main(void) {
  unsigned char text[SIZE];
  fill();
  klee_make_symbolic(text, sizeof text, "text");
  unsigned crc = 0xffffffffu;
  int found = 0;
  for (int i = 0; i < SIZE; i++) {
    crc = table[(crc ^ text[i]) & 255] ^ (crc >> 8);
    /* A sum that is looked at on the way, as formats with headers do. */
    if ((crc & 7) == 5)
      found += i;
    if (crc >> 28 == 9)
      found ^= 3;
  }
  return found;
}
