//@ paths: 5 completed, 0 errors
//@ exit: 0
//@ native: i=0,1,14,15 j=0..7,56..63 k=0,1,14,15
//@ why: i is one of 16 words; b[j] is 3 only at its third byte; the word that is changed is found by its
//@ why: value, and read from where it is no whole word; what is written at known places is known
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

static unsigned words[16];

int main(void) {
  unsigned char i, j, k;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_make_symbolic(&k, sizeof k, "k");
  i %= 16;
  j %= 64;
  k %= 16;
  unsigned char *bytes = (unsigned char *)words;
  words[i] = 0x01020304;
  if (bytes[j] != 2)
    return 0;
  assert(j == 4 * i + 2);
  bytes[j] = 9;
  bytes[5] = 0;
  if (words[k] != 0x01090304) {
    /* The same word, of which a byte was written since. */
    if (words[k] != 0x01090004)
      return 1;
    assert(i == 1 && k == 1);
    return 2;
  }
  assert(k == i && i != 1);
  unsigned short half;
  memcpy(&half, bytes + j - 1, 2);
  assert(half == 0x0903);
  if (j < 61) {
    unsigned across;
    memcpy(&across, bytes + j, 4);
    assert(across == 0x0109);
    memcpy(bytes + j - 1, "wxyz", 4);
    assert(words[k] == 0x79787704 && words[k + 1] == 'z');
    return 3;
  }
  return 4;
}
