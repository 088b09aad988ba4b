/* What a compiler's own start files bring along for programs in C++, and musl's do not: the name by which a
   program registers destructors of its own. A static program is one object, so any address will do. */

__attribute__((visibility("hidden"))) void *__dso_handle = 0;
