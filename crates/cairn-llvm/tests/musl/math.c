#include "cases.h"
#include <complex.h>
#include <math.h>

int main(void)
{
	for (int i = 0; i < 60; i++) {
		double x = plain_double() / (1 << below(30)), y = plain_double() / (1 << below(24));
		printf("%a %a: %a %a %a %a", x, y, sin(x), cos(x), tan(x), atan2(y, x));
		printf(" %a %a %a %a", exp(x / 1e4), log(fabs(x)), pow(fabs(x), y / 1e4), sqrt(fabs(x)));
		printf(" %a %a %a %a", cbrt(x), hypot(x, y), fmod(x, y), remainder(x, y));
		printf(" %a %a %a %a %a", floor(x), ceil(x), trunc(x), round(x), rint(x));
		printf(" %ld %lld %a %a", lrint(x), llround(y), fma(x, y, x), nextafter(x, y));
		int exponent;
		double whole, fraction = modf(x, &whole);
		printf(" %a %a %a %d", fraction, whole, frexp(x, &exponent), exponent);
		printf(" %a %a %a %a\n", ldexp(x, 7), scalbn(y, -9), logb(x), copysign(x, y));
		float f = (float)x, g = (float)y;
		printf(" %a %a %a %a %a\n", sinf(f), expf(f / 1e4f), powf(fabsf(f), g / 1e4f), sqrtf(fabsf(f)), fmodf(f, g));
		printf(" %a %a %a %a %a\n", erf(x / 1e3), tgamma(fabs(y) / 1e4), lgamma(fabs(x)), asinh(x), log1p(fabs(y)));
		long double l = x, m = y;
		printf(" %La %La %La %La %La\n", sqrtl(fabsl(l)), floorl(l), ceill(m), rintl(l), fmodl(l, m));
		double complex z = (x + y * I) * (y - x * I);
		printf(" %a %a %a %a\n", creal(z), cimag(z), cabs(z), carg(z));
	}
	/* Products where the compiler calls its library. */
	static const double parts[] = {0.0, -1.5, INFINITY, -INFINITY, NAN};
	for (int i = 0; i < 625; i += 3) {
		union { double part[2]; double complex number; } a, b;
		a.part[0] = parts[i % 5], a.part[1] = parts[i / 5 % 5];
		b.part[0] = parts[i / 25 % 5], b.part[1] = parts[i / 125];
		double complex z = a.number * b.number;
		float complex f = (float complex)a.number * (float complex)b.number;
		printf("%d %d %d %d", !!isnan(creal(z)), !!isnan(cimag(z)), !!isinf(creal(z)), !!isinf(cimag(z)));
		printf(" %d %d\n", isnan(crealf(f)) ? 2 : crealf(f) > 0, isnan(cimag(z)) ? 2 : cimag(z) > 0);
	}
	printf("%d %d %d %d\n", isnan(NAN), isinf(INFINITY), fpclassify(0.0), signbit(-1.0) != 0);
	return 0;
}
