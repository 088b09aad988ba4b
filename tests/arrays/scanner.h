/* What every generated scanner shares: a text of SIZE unknown bytes, scanned to its end.
   The tokens' numbers are summed so that no action is empty and nothing is left out. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 8
#endif

#define TOKEN(n) return (n)

/* Called behind the rules, where flex's own names are known. */
#define SCANNER_MAIN                                     \
  int main(void) {                                       \
    char text[SIZE];                                     \
    unsigned sum = 0;                                    \
    int token;                                           \
    klee_make_symbolic(text, sizeof text, "text");       \
    yy_scan_bytes(text, SIZE);                           \
    while ((token = yylex()) != 0)                       \
      sum = sum * 31 + (unsigned)token + (unsigned)yyleng; \
    return sum == 0x5eed;                                \
  }
