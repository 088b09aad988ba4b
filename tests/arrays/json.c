/* A scanner of JSON by a hand-made table of states and classes of characters. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 9
#endif

enum { SPACE, LBRACE, RBRACE, LBRACK, RBRACK, COLON, COMMA, QUOTE, BACK, SLASH, PLUS, MINUS, POINT,
       ZERO, DIGIT, LOW_A, LOW_B, LOW_E, LOW_F, LOW_L, LOW_N, LOW_R, LOW_S, LOW_T, LOW_U, ABCDF,
       BIG_E, OTHER, BAD, CLASSES };
enum { GO, OK, STR, ESC, U1, U2, U3, U4, MI, ZE, IN, FR, FD, EX, ES, ED, T1, T2, T3, F1, F2, F3, F4,
       N1, N2, N3, NO, STATES };

static unsigned char class[256];
static short next[STATES][CLASSES];

static void go(int state, const char *classes, int to) {
  for (; *classes; classes++)
    next[state][class[(unsigned char)*classes]] = (short)to;
}

static void fill(void) {
  static const char *const words = " {}[]:,\"\\/+-.01abeflnrstuAE";
  static const unsigned char kinds[] = {SPACE, LBRACE, RBRACE, LBRACK, RBRACK, COLON, COMMA, QUOTE,
    BACK, SLASH, PLUS, MINUS, POINT, ZERO, DIGIT, LOW_A, LOW_B, LOW_E, LOW_F, LOW_L, LOW_N, LOW_R,
    LOW_S, LOW_T, LOW_U, ABCDF, BIG_E};
  for (int i = 0; i < 256; i++)
    class[i] = i < 32 ? BAD : OTHER;
  for (int i = 0; words[i]; i++)
    class[(unsigned char)words[i]] = kinds[i];
  class['\t'] = class['\n'] = class['\r'] = SPACE;
  for (int c = '2'; c <= '9'; c++) class[c] = DIGIT;
  class['c'] = class['d'] = class['B'] = class['C'] = class['D'] = class['F'] = ABCDF;
  for (int s = 0; s < STATES; s++)
    for (int c = 0; c < CLASSES; c++)
      next[s][c] = s == STR && c != BAD ? STR : NO;
  go(GO, " {[:,", GO); go(GO, "]}", OK); go(GO, "\"", STR); go(GO, "-", MI); go(GO, "0", ZE);
  go(GO, "1", IN); go(GO, "t", T1); go(GO, "f", F1); go(GO, "n", N1);
  go(OK, " ]}", OK); go(OK, ",:", GO);
  go(STR, "\"", OK); go(STR, "\\", ESC); go(ESC, "\"\\/bfnrt", STR); go(ESC, "u", U1);
  for (int u = U1; u <= U4; u++) go(u, "01abefAE", u == U4 ? STR : u + 1);
  go(MI, "0", ZE); go(MI, "1", IN); go(ZE, ".", FR); go(IN, "01", IN); go(IN, ".", FR);
  for (int s = ZE; s <= IN; s++) { go(s, "eE", EX); go(s, " ]}", OK); go(s, ",", GO); }
  go(FR, "01", FD); go(FD, "01", FD); go(FD, "eE", EX); go(FD, " ]}", OK); go(FD, ",", GO);
  go(EX, "+-", ES); go(EX, "01", ED); go(ES, "01", ED); go(ED, "01", ED); go(ED, " ]}", OK);
  go(ED, ",", GO); go(T1, "r", T2); go(T2, "u", T3); go(T3, "e", OK);
  go(F1, "a", F2); go(F2, "l", F3); go(F3, "s", F4); go(F4, "e", OK);
  go(N1, "u", N2); go(N2, "l", N3); go(N3, "l", OK);
}

int main(void) {
  unsigned char text[SIZE];
  int state = GO, depth = 0;
  fill();
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < SIZE; i++) {
    int kind = class[text[i]];
    state = next[state][kind];
    if (state == NO)
      return 1;
    if (state == GO || state == OK)
      depth += (kind == LBRACE) + (kind == LBRACK) - (kind == RBRACE) - (kind == RBRACK);
  }
  return state == OK && depth == 0 ? 0 : 2;
}
