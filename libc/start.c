/* What the bitcode library has in place of musl's assembly and start files.

   A program begins in __cairn_start, which the machine calls with main's arguments. It lays them
   out as a kernel would, with the auxiliary vector behind them, and leaves the rest to musl. The
   functions that are declared here and defined nowhere are made when a program is linked:
   __cairn_main calls the entry function, __cairn_constructors and __cairn_destructors call the
   functions that the program wants to run before and after it. */

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "libc.h"
#include "pthread_impl.h"
#include "syscall.h"

extern int __cairn_main(int, char **, char **);
extern void __cairn_constructors(void);
extern void __cairn_destructors(void);
extern int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void),
                             void (*)(void), void (*)(void));

uintptr_t __cairn_thread_pointer;

/* Not random, so that runs repeat. */
static const char random_bytes[16] = "cairn's numbers";

int __cairn_start(int argc, char **argv, char **envp)
{
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
	__cairn_thread_pointer = (uintptr_t)p;
	return 0;
}

/* A call that a thread may be cancelled in. */
long __syscall_cp_asm(volatile int *cancelled, long n, long a, long b, long c, long d, long e, long f)
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

/* Where a handler of signals returns to, and where the assembly for the above would begin and end:
   nothing looks at them here. */
void __restore_rt(void) {}
const char __cp_begin[1], __cp_end[1], __cp_cancel[1];

/* The address of the caller, which musl's assembly passes on, matters to dynamic loading only. */
void *dlsym(void *restrict handle, const char *restrict name)
{
	void *__dlsym(void *restrict, const char *restrict, void *restrict);
	return __dlsym(handle, name, 0);
}

/* The machine's heap is the only one. */
int __malloc_replaced;
int __aligned_alloc_replaced;
void *__libc_malloc(size_t size) { return malloc(size); }
void *__libc_malloc_impl(size_t size) { return malloc(size); }
void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__libc_realloc(void *old, size_t size) { return realloc(old, size); }
void __libc_free(void *p) { free(p); }

/* What hardware computes exactly, the machine does too. */
double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
float sqrtf(float x) { return __builtin_elementwise_sqrt(x); }
long double sqrtl(long double x) { return __builtin_elementwise_sqrt(x); }
double fma(double x, double y, double z) { return __builtin_elementwise_fma(x, y, z); }
float fmaf(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }
double fabs(double x) { return __builtin_elementwise_abs(x); }
float fabsf(float x) { return __builtin_elementwise_abs(x); }
long double fabsl(long double x) { return __builtin_elementwise_abs(x); }
long double rintl(long double x) { return __builtin_elementwise_rint(x); }
long double floorl(long double x) { return __builtin_elementwise_floor(x); }
long double ceill(long double x) { return __builtin_elementwise_ceil(x); }
long double truncl(long double x) { return __builtin_elementwise_trunc(x); }

/* Complex products and quotients, which the compiler leaves to its own library where they are not
   numbers: infinities win over what is not a number (C11, Annex G). */

#define BOXED(x) (__builtin_copysignl(__builtin_isinf(x) ? 1 : 0, x))

#define COMPLEX_PRODUCT(name, type)                                                                \
	_Complex type name(type a, type b, type c, type d)                                         \
	{                                                                                          \
		type ac = a * c, bd = b * d, ad = a * d, bc = b * c;                               \
		type x = ac - bd, y = ad + bc;                                                     \
		if (__builtin_isnan(x) && __builtin_isnan(y)) {                                    \
			int again = 0;                                                             \
			if (__builtin_isinf(a) || __builtin_isinf(b)) {                            \
				a = BOXED(a), b = BOXED(b);                            \
				c = __builtin_isnan(c) ? __builtin_copysignl(0, c) : c;            \
				d = __builtin_isnan(d) ? __builtin_copysignl(0, d) : d;            \
				again = 1;                                                         \
			}                                                                          \
			if (__builtin_isinf(c) || __builtin_isinf(d)) {                            \
				c = BOXED(c), d = BOXED(d);                            \
				a = __builtin_isnan(a) ? __builtin_copysignl(0, a) : a;            \
				b = __builtin_isnan(b) ? __builtin_copysignl(0, b) : b;            \
				again = 1;                                                         \
			}                                                                          \
			if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) ||               \
			               __builtin_isinf(ad) || __builtin_isinf(bc))) {              \
				a = __builtin_isnan(a) ? __builtin_copysignl(0, a) : a;            \
				b = __builtin_isnan(b) ? __builtin_copysignl(0, b) : b;            \
				c = __builtin_isnan(c) ? __builtin_copysignl(0, c) : c;            \
				d = __builtin_isnan(d) ? __builtin_copysignl(0, d) : d;            \
				again = 1;                                                         \
			}                                                                          \
			if (again)                                                                 \
				x = __builtin_infl() * (a * c - b * d),                            \
				y = __builtin_infl() * (a * d + b * c);                            \
		}                                                                                  \
		return (_Complex type){x, y};                                                      \
	}
COMPLEX_PRODUCT(__mulsc3, float)
COMPLEX_PRODUCT(__muldc3, double)
COMPLEX_PRODUCT(__mulxc3, long double)

/* What a program may ask its explorer. */
int klee_get_errno(void) { return errno; }
