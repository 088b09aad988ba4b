//@ exit: 2
//@ incomplete: address_text_of_list.c:14:3: vprintf: an address is printed
//@ run: --libc none
//@ why: the bytes of an address are printed as text, by way of a va_list
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int x;

static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

int main(void) {
  int *p = &x;
  char text[sizeof p + 1] = "";
  memcpy(text, &p, sizeof p);
  say("%d %s\n", 1, text);
  return 0;
}
