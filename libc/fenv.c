/* The floating-point environment. The machine rounds to nearest and keeps no exception flags: what
   depends on either is reported, not answered as if it were known. */

#include <fenv.h>

void __cairn_unsupported(const char *what);
void __cairn_assumed(const char *what);

int feclearexcept(int mask) { return 0; }

int feraiseexcept(int mask) { return 0; }

int fetestexcept(int mask)
{
	__cairn_assumed("floating-point exceptions are not recorded");
	return 0;
}

int fegetround(void) { return FE_TONEAREST; }

int __fesetround(int mode)
{
	if (mode != FE_TONEAREST)
		__cairn_unsupported("a rounding mode other than to nearest");
	return 0;
}

int fegetenv(fenv_t *environment)
{
	__cairn_assumed("the floating-point environment is not recorded");
	*environment = (fenv_t){0};
	return 0;
}

int fesetenv(const fenv_t *environment)
{
	/* Where the rounding mode is. */
	if (environment != FE_DFL_ENV && (environment->__mxcsr & 0x6000))
		__cairn_unsupported("a rounding mode other than to nearest");
	return 0;
}
