/* The beginning of a scanner of YAML: indicators, plain words and escapes by tables of flags, where
   what is allowed depends on the characters before. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 8
#endif

enum { BLANK = 1, BREAK = 2, ALPHA = 4, INDICATOR = 8, FLOW = 16, HEX = 32, DIRECTIVE = 64 };
enum { PLAIN, WORD, SINGLE, DOUBLE, ESCAPED, COMMENT, KEY, VALUE, ERROR, STATES };

static unsigned char flags[256];
static unsigned char reach[STATES][16];
static unsigned char width[256];

static void fill(void) {
  for (int c = '0'; c <= 'z'; c++)
    if (c <= '9' || (c >= 'A' && c <= 'Z') || c >= 'a')
      flags[c] = ALPHA | (c <= '9' || (c >= 'a' && c <= 'f') ? HEX : 0);
  for (const char *p = "-?:,[]{}#&*!|>'\"%@`"; *p; p++)
    flags[(unsigned char)*p] |= INDICATOR;
  for (const char *p = ",[]{}"; *p; p++)
    flags[(unsigned char)*p] |= FLOW;
  flags[' '] = flags['\t'] = BLANK;
  flags['\n'] = flags['\r'] = BREAK;
  flags['%'] |= DIRECTIVE;
  width['x'] = 2; width['u'] = 4; width['U'] = 8; width['n'] = width['t'] = width['\\'] = 1;
  for (int s = 0; s < STATES; s++)
    for (int k = 0; k < 16; k++) {
      unsigned char to = (unsigned char)s;
      if (s == PLAIN) to = k & 1 ? PLAIN : k & 8 ? VALUE : k & 4 ? WORD : KEY;
      if (s == WORD) to = k & 3 ? PLAIN : k & 8 ? KEY : WORD;
      if (s == COMMENT) to = k & 2 ? PLAIN : COMMENT;
      if (s == KEY) to = k & 3 ? VALUE : k & 8 ? ERROR : WORD;
      if (s == VALUE) to = k & 2 ? PLAIN : k & 8 ? DOUBLE : k & 4 ? WORD : VALUE;
      if (s == DOUBLE) to = k & 8 ? PLAIN : k & 2 ? ESCAPED : DOUBLE;
      if (s == ESCAPED) to = k & 4 ? DOUBLE : ERROR;
      reach[s][k] = to;
    }
}

int main(void) {
  unsigned char text[SIZE];
  int state = PLAIN, indent = 0, skip = 0;
  fill();
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < SIZE; i++) {
    int flag = flags[text[i]];
    if (skip > 0) {
      if (!(flag & HEX))
        return 1;
      skip--;
      continue;
    }
    if (state == PLAIN && flag & BLANK)
      indent++;
    state = reach[state][flag & 15];
    if (state == ERROR)
      return 2;
    if (state == ESCAPED && width[text[i]] > 1)
      skip = width[text[i]] - 1;
    if (flag & FLOW && reach[state][flag >> 4 & 3] == KEY)
      indent += 2;
  }
  return indent & 1;
}
