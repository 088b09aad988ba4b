// The input of an assembler: one buffer of half a megabyte, of which a few hundred bytes are in use. A directive with an unknown letter names
// a macro; its place in the buffer is in a table, and its text is copied behind what was read so far.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef BUFFER
#define BUFFER 524411
#endif
#ifndef MACROS
#define MACROS 4
#endif
static char *buffer;
static unsigned start[26], end;
static void put(const char *text) {
  while (*text) buffer[end++] = *text++;
}
int main(void) {
  char letter;
  unsigned sum = 0;
  buffer = malloc(BUFFER);
  for (int i = 0; i < MACROS; i++) {
    char name[2] = {'f' + i, 0};
    put(".macro ");
    put(name);
    start['f' + i - 'a'] = end;
    put("\n  nop; add ");
    put(name);
    put("\n.endm\n");
  }
  klee_make_symbolic(&letter, sizeof letter, "letter");
  klee_assume(letter >= 'f');
  klee_assume(letter < 'f' + MACROS);
  // The text of the macro of the letter, to the end of its second line.
  unsigned at = start[letter - 'a'] + 1;
  for (unsigned i = 0; i < 12; i++) buffer[end + i] = buffer[at + i];
  buffer[at + 2] = letter;
  for (unsigned i = 0; i < 12; i++) sum += buffer[end + i] == letter;
  return sum + buffer[start['f' - 'a'] + 3];
}
