//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is printed
//@ run: --libc none
//@ why: a number that is an address, printed by way of a va_list
#include <stdarg.h>
#include <stdio.h>

static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

int main(void) {
  int x = 0;
  say("%d %s %g %ld\n", 1, "text", 1.5, (long)&x);
  return 0;
}
