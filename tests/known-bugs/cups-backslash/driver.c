// Runs PostScript code of at most four bytes.
#include <cups/cups-private.h>
#include <cups/ppd-private.h>
#include <cups/raster-private.h>
#include <klee/klee.h>

enum { LENGTH = 4 };

// Where messages are kept; that of the library needs all of it.
_cups_globals_t *_cupsGlobals(void) {
  static _cups_globals_t globals;
  return &globals;
}

int main(void) {
  char code[LENGTH + 1];
  int bits;
  cups_page_header2_t header;
  klee_make_symbolic(code, sizeof code, "code");
  klee_assume(code[LENGTH] == 0);
  memset(&header, 0, sizeof header);
  _cupsRasterExecPS(&header, &bits, code);
  return 0;
}
