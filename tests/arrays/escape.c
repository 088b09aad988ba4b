/* Escaping as servers do it: a table of flags says which bytes a shell, a path, a header or a log must
   not get; a second table gives what is written instead, and lengths are added up from a third. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 7
#endif

enum { SHELL = 1, PATH = 2, HTTP = 4, LOG = 8, FORM = 16 };

static unsigned char must[256];
static unsigned char instead[256];
static unsigned char length[256];

static void fill(void) {
  for (int c = 0; c < 256; c++) {
    must[c] = (unsigned char)(c < 32 || c >= 127 ? PATH | LOG | FORM : 0);
    instead[c] = (unsigned char)c;
    length[c] = (unsigned char)(c < 32 || c >= 127 ? 3 : 1);
  }
  for (const char *p = "&;`'\"|*?~<>^()[]{}$\\\n"; *p; p++)
    must[(unsigned char)*p] |= SHELL;
  for (const char *p = " %\"#<>?[]^{|}"; *p; p++) {
    must[(unsigned char)*p] |= PATH | FORM;
    length[(unsigned char)*p] = 3;
  }
  for (const char *p = "()<>@,;\\/[]?={} \t"; *p; p++)
    must[(unsigned char)*p] |= HTTP;
  instead['\n'] = 'n'; instead['\r'] = 'r'; instead['\t'] = 't'; instead['"'] = 'q';
  length['\n'] = length['\r'] = length['\t'] = 2;
}

int main(void) {
  unsigned char text[SIZE];
  unsigned total = 0;
  unsigned char mode = SHELL;
  fill();
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < SIZE; i++) {
    unsigned char c = text[i];
    total += length[c];
    if (must[c] & mode)
      total += length[instead[c]];
    /* What must be escaped next depends on what was written. */
    mode = must[instead[(unsigned char)(c ^ mode)]];
    if (length[(unsigned char)total] == 3)
      total++;
  }
  return total > 2 * SIZE;
}
