/* A second thread or process. musl's C file says that the kernel has none, which a program cannot tell
   from a machine that is out of room; a path that gets here is not followed any further. */

#define _GNU_SOURCE
#include <sched.h>

void __cairn_unsupported(const char *what);

int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	__cairn_unsupported(flags & CLONE_THREAD ? "a second thread" : "a second process");
	return -1;
}
