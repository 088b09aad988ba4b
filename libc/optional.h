/* For functions of musl that take an argument which their caller may have left out, and read what
   happens to be there: here it is zero then. */
#include <stdarg.h>

int __cairn_has_argument(void *list);

#undef va_arg
#define va_arg(list, type) (__cairn_has_argument(list) ? __builtin_va_arg(list, type) : (type)0)
