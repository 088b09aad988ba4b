// Commands of a small calculator, a text for each letter: an unknown letter chooses one, and it is run to its end. Here a path for each
// text is better: each is run on its own, without a question.
#include <klee/klee.h>
#include <stdlib.h>
#ifndef TEXTS
#define TEXTS 26
#endif
#ifndef LENGTH
#define LENGTH 400
#endif
static char *text_of[TEXTS];
int main(void) {
  unsigned char letter;
  unsigned sum = 0;
  for (unsigned i = 0; i < TEXTS; i++) {
    text_of[i] = calloc(LENGTH + 1, 1);
    for (unsigned j = 0; j < LENGTH; j++) text_of[i][j] = "+-*/"[(i * 7 + j * j + (i * j >> 3)) % 4];
  }
  klee_make_symbolic(&letter, sizeof letter, "letter");
  klee_assume(letter < TEXTS);
  for (const char *at = text_of[letter]; *at; at++)
    switch (*at) {
    case '+': sum += 1; break;
    case '-': sum -= 3; break;
    case '*': sum *= 5; break;
    default: sum /= 2; break;
    }
  return sum & 63;
}
