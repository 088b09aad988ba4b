/* Floating-point functions of the bitcode library that musl has in assembly, or leaves to the compiler. */

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
