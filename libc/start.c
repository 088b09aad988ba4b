/* The start of programs in the bitcode library.

   A program begins in __cairn_start, which the machine calls with main's arguments. It lays them
   out as a kernel would, with the auxiliary vector behind them, and leaves the rest to musl. The
   functions that are declared here and defined nowhere are made when a program is linked:
   __cairn_main calls the entry function, __cairn_constructors and __cairn_destructors call the
   functions that the program wants to run before and after it. */

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

extern int __cairn_main(int, char **, char **);
extern void __cairn_constructors(void);
extern void __cairn_destructors(void);
extern int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void),
                             void (*)(void), void (*)(void));

extern void __cairn_arguments(int *, char ***);

char *__cairn_thread_pointer;

/* Not random, so that runs repeat. */
static const char random_bytes[16] = "cairn's numbers";

int __cairn_start(int argc, char **argv, char **envp)
{
	__cairn_arguments(&argc, &argv);
	size_t count = 0;
	while (envp[count])
		count++;
	const size_t auxiliary[] = {
		AT_PAGESZ, 4096, AT_CLKTCK, 100, AT_RANDOM, (size_t)random_bytes,
		AT_EXECFN, (size_t)argv[0], AT_NULL, 0,
	};
	const size_t words = sizeof auxiliary / sizeof *auxiliary;
	/* This frame lasts as long as the program. */
	char *vector[argc + 1 + count + 1 + words];
	char **to = vector;
	for (int i = 0; i < argc; i++)
		*to++ = argv[i];
	*to++ = 0;
	for (size_t i = 0; i < count; i++)
		*to++ = envp[i];
	*to++ = 0;
	for (size_t i = 0; i < words; i++)
		*to++ = (char *)auxiliary[i];
	return __libc_start_main(__cairn_main, argc, vector, 0, 0, 0);
}

void __libc_start_init(void) { __cairn_constructors(); }

void __libc_exit_fini(void) { __cairn_destructors(); }

int __set_thread_area(void *p)
{
	__cairn_thread_pointer = p;
	return 0;
}

/* Where a handler of signals would return to. */
void __restore_rt(void) {}
