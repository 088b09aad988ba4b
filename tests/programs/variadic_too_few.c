//@ paths: 1 completed, 6 errors
//@ finding: ptr 20 outside
//@ finding: ptr 23 outside
//@ finding: ptr 26 outside
//@ finding: ptr 29 outside
//@ finding: ptr 32 outside
//@ finding: ptr 43 outside
//@ exit: 1
//@ why: each way asks for one argument more than was passed, with arguments in both kinds of registers
#include <klee/klee.h>
#include <stdarg.h>

struct pair { long a, b; };

static double take(unsigned char way, ...) {
  va_list list;
  va_start(list, way);
  double sum = va_arg(list, int) + va_arg(list, double);
  switch (way) {
  case 0: sum += va_arg(list, int);
    break;
  case 1: {
    double more = va_arg(list, double);
    sum += more; break; }
  case 2: {
    char *text = va_arg(list, char *);
    sum += text != 0; break; }
  case 3: {
    struct pair both = va_arg(list, struct pair);
    sum += both.b; break; }
  case 4: {
    long double wide = va_arg(list, long double);
    sum += wide; break; }
  default: break;
  }
  va_end(list);
  return sum;
}

static int next(va_list *list) {
  va_list copy;
  va_copy(copy, *list);
  int value = va_arg(copy, int);
  va_end(copy);
  return value;
}

static int handed_on(int count, ...) {
  va_list list;
  va_start(list, count);
  double first = va_arg(list, double);
  int value = next(&list);
  va_end(list);
  return value + (int)first;
}

int main(void) {
  unsigned char way;
  klee_make_symbolic(&way, sizeof way, "way");
  klee_assume(way < 7);
  if (way == 6)
    return handed_on(1, 2.0) == 1;
  return take(way, 1, 2.0) == 77;
}
