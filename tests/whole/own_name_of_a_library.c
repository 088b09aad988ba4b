//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: own_name_of_a_library.c:8:41: clock_gettime: the time is one of many
//@ why: a function of the program that is called as one of a library asks for the program
#include <time.h>

// Named as a function of glibc's start.
static int ptmalloc_init(void) { return time(0) % 2; }

int main(void) { return ptmalloc_init(); }
