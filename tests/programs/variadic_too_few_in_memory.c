//@ paths: 1 completed, 5 errors
//@ finding: ptr 20 outside
//@ finding: ptr 23 outside
//@ finding: ptr 26 outside
//@ finding: ptr 29 outside
//@ finding: ptr 33 outside
//@ exit: 1
//@ why: as variadic_too_few.c, with arguments in memory beside those in both kinds of registers
#include <klee/klee.h>
#include <stdarg.h>

struct pair { long a, b; };

static double take(int way, ...) {
  va_list list;
  va_start(list, way);
  double sum = va_arg(list, int) + va_arg(list, double);
  if (way < 3) sum += va_arg(list, long double);
  switch (way) {
  case 0: sum += va_arg(list, int);
    break;
  case 1: {
    double more = va_arg(list, double);
    sum += more; break; }
  case 2: {
    long double wide = va_arg(list, long double);
    sum += wide; break; }
  case 3: {
    char *text = va_arg(list, char *);
    sum += text != 0; break; }
  case 4: {
    struct pair both = va_arg(list, struct pair);
    sum += both.b; break; }
  default: break;
  }
  va_end(list);
  return sum;
}

int main(void) {
  unsigned char way;
  klee_make_symbolic(&way, sizeof way, "way");
  klee_assume(way < 6);
  return take(way, 1, 2.0, 3.0L) == 77;
}
