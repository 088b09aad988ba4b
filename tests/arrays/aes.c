/* The substitution of AES on unknown bytes, with a round key that depends on what came before. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

static unsigned char box[256];

static unsigned char times(unsigned char a, unsigned char b) {
  unsigned char p = 0;
  for (int i = 0; i < 8; i++) {
    if (b & 1)
      p ^= a;
    a = (unsigned char)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    b >>= 1;
  }
  return p;
}

static void fill(void) {
  for (int i = 0; i < 256; i++) {
    unsigned char inverse = 0;
    for (int j = 1; j < 256 && i; j++)
      if (times((unsigned char)i, (unsigned char)j) == 1)
        inverse = (unsigned char)j;
    unsigned char x = inverse, y = inverse;
    for (int k = 0; k < 4; k++) {
      y = (unsigned char)(y << 1 | y >> 7);
      x ^= y;
    }
    box[i] = x ^ 0x63;
  }
}

int main(void) {
  unsigned char text[SIZE];
  fill();
  klee_make_symbolic(text, sizeof text, "text");
  unsigned char key = 0x3c;
  int found = 0;
  for (int i = 0; i < SIZE; i++) {
    key = box[(unsigned char)(text[i] ^ key)];
    if (key < 16)
      found++;
    if (box[key] == key + 1)
      found += 10;
  }
  return found;
}
