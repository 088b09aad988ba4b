/* What musl remembers from its start and a program may ask for: asked of the system each time, so that
   the run knows that the program was told. */

#include <errno.h>
#include <sys/auxv.h>
#include "libc.h"
#include "syscall.h"

void __cairn_assumed(const char *what);

int gettid(void) { return __cairn_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0); }

unsigned long __getauxval(unsigned long item)
{
	if (item != AT_PAGESZ && item != AT_CLKTCK && item != AT_SECURE)
		__cairn_assumed("what the kernel tells a program at its start is one of many");
	if (item == AT_SECURE)
		return libc.secure;
	for (size_t *entry = libc.auxv; *entry; entry += 2)
		if (*entry == item)
			return entry[1];
	errno = ENOENT;
	return 0;
}

weak_alias(__getauxval, getauxval);
