/* What musl has in assembly for threads, in the bitcode library. A file of its own, so that
   only programs that cancel threads are linked with what that takes. */

#include <stddef.h>
#include "syscall.h"

/* A call that a thread may be cancelled in. */
long __syscall_cp_asm(volatile int *cancelled, long n, long a, long b, long c, long d, long e,
                      long f)
{
	long __cancel(void);
	if (*cancelled)
		return __cancel();
	return __cairn_syscall(n, a, b, c, d, e, f);
}

_Noreturn void __unmapself(void *base, size_t size)
{
	__cairn_syscall(SYS_munmap, (long)base, (long)size, 0, 0, 0, 0);
	for (;;)
		__cairn_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
}

/* Where the assembly for the above would begin and end: nothing looks at them here. */
const char __cp_begin[1], __cp_end[1], __cp_cancel[1];

/* The address of the caller, which musl's assembly passes on, matters to dynamic loading only. */
void *dlsym(void *restrict handle, const char *restrict name)
{
	void *__dlsym(void *restrict, const char *restrict, void *restrict);
	return __dlsym(handle, name, 0);
}
