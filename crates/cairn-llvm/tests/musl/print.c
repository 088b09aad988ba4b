#include "cases.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

static int through_list(char *to, size_t size, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int length = vsnprintf(to, size, format, list);
	va_end(list);
	return length;
}

int main(void)
{
	static const char flags[] = "-+ #0";
	static const char integers[] = "diouxX", floats[] = "fFeEgGaA";
	static const char *lengths[] = {"", "h", "hh", "l", "ll", "j", "z", "t"};
	char format[64], line[1200];
	for (int i = 0; i < 500; i++) {
		char *at = format;
		*at++ = '%';
		for (int f = below(4); f > 0; f--)
			*at++ = flags[below(5)];
		if (below(2))
			at += sprintf(at, "%u", 1 + below(30));
		if (below(2))
			at += sprintf(at, ".%u", below(25));
		strcpy(at, lengths[below(8)]);
		at += strlen(at);
		*at++ = integers[below(6)];
		*at = 0;
		uint64_t value = random_bits() >> below(64);
		int length = snprintf(line, sizeof line, format, value);
		printf("%s: [%s] %d\n", format, line, length);
	}
	for (int i = 0; i < 250; i++) {
		char *at = format;
		*at++ = '%';
		for (int f = below(3); f > 0; f--)
			*at++ = flags[below(5)];
		if (below(2))
			at += sprintf(at, "%u", 1 + below(40));
		if (below(3))
			at += sprintf(at, ".%u", below(30));
		*at++ = floats[below(8)];
		*at = 0;
		double value = below(4) ? plain_double() : random_double();
		int length = snprintf(line, sizeof line, format, value);
		printf("%s: [%.60s] %d\n", format, line, length);
	}
	double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, DBL_MIN, DBL_MAX, 5e-324, 0.5, 1.5, 2.5, 1e15, 1e16, 0.1};
	for (int i = 0; i < 14; i++)
		printf("%f %e %g %a %.0f %.3g %#.0f %+g\n", special[i], special[i], special[i], special[i],
		       special[i], special[i], special[i], special[i]);
	for (int i = 0; i < 60; i++) {
		long double value = (long double)plain_double() * (1.0L + 1.0L / (3 + i));
		printf("%Lf %Le %Lg %La\n", value, value, value, value);
	}
	for (int i = 0; i < 80; i++) {
		char text[40];
		int n = below(39);
		for (int k = 0; k < n; k++)
			text[k] = ' ' + below(95);
		text[n] = 0;
		int width = below(40), precision = (int)below(20) - 2;
		printf("[%*s] [%-*.*s] [%.3s] %c\n", width, text, width, precision, text, text, text[0] ? text[0] : '0');
	}
	for (size_t size = 0; size < 12; size++) {
		memset(line, '#', 16);
		int length = through_list(size ? line : 0, size, "%d-%s", -12345, "abc");
		printf("%d %.16s\n", length, size ? line : "");
	}
	int count = -1;
	long long wide_count = -1;
	printf("%d%%%n %lln|%5%|\n", 77, &count, &wide_count);
	printf("%d %lld\n", count, wide_count);
	printf("%2$s %1$d %3$*4$d %1$x\n", 42, "second", 7, 6);
	printf("%ls %lc %5.2ls|\n", L"wide", (wint_t)L'w', L"text");
	printf("%p %s %hhd %hd\n", (void *)0, (char *)0, 300, 70000);
	printf("%td %zu %jd %lu\n", (ptrdiff_t)-3, sizeof(int), (intmax_t)INTMAX_MIN, ULONG_MAX);
	puts("puts");
	putchar('p');
	fputs("fputs\n", stdout);
	fprintf(stdout, "%s\n", "fprintf");
	fwrite("fwrite\n", 1, 7, stdout);
	return 17;
}
