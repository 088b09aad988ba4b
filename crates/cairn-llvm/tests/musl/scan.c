#include "cases.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void numbers(const char *text)
{
	for (int base = 0; base <= 36; base = base ? base + 1 : 2) {
		if (base > 2 && base != 8 && base != 10 && base != 16 && base != 36)
			continue;
		char *end;
		errno = 0;
		long a = strtol(text, &end, base);
		printf("%s base %d: %ld %d %d,", text, base, a, (int)(end - text), errno);
		errno = 0;
		unsigned long long b = strtoull(text, &end, base);
		printf(" %llu %d %d\n", b, (int)(end - text), errno);
	}
}

static void real(const char *text)
{
	char *end;
	errno = 0;
	double a = strtod(text, &end);
	printf("%s: %a %d %d", text, a, (int)(end - text), errno);
	errno = 0;
	float b = strtof(text, &end);
	printf(" %a %d", b, errno);
	errno = 0;
	long double c = strtold(text, &end);
	printf(" %La %d %g\n", c, errno, atof(text));
}

int main(void)
{
	static const char *texts[] = {"0", "-1", "+42", "  77x", "0x1fz", "0X", "z9", "-0x8000000000000000",
		"9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"", "-", "0777", "08", "1e5", "\t\n12", "--3"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		numbers(texts[i]);
	static const char *reals[] = {"0", "-0", "1", "1.5", ".5", "5.", ".", "1e", "1e+", "1e10", "1e400", "-1e400",
		"1e-400", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "inf", "-Infinity", "nan",
		"nan(12)", "0x1p3", "0x1.8p-2", "0x", "0x.8", "0x1p-1074", "0x1.fffffffffffffp1023", "1_2",
		"123456789012345678901234567890", "0.1", "0.30000000000000004", "9007199254740993", "1e23", "8.5e-46", "x"};
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
		real(reals[i]);
	char text[200];
	for (int i = 0; i < 150; i++) {
		double value = below(3) ? plain_double() : random_double();
		snprintf(text, sizeof text, "%.*e", (int)below(25), value);
		real(text);
	}
	for (int i = 0; i < 150; i++) {
		int a = (int)random_bits(), b = -1, c = -1;
		unsigned u = 0;
		char word[20] = "?", set[20] = "?", letter = '?';
		float f = -1;
		double d = -1;
		snprintf(text, sizeof text, "%d %x word%u [%c%c] %.3f,%e", a, (unsigned)a, below(100), 'a' + below(26),
		         'a' + below(26), plain_double(), plain_double());
		int n = sscanf(text, "%d%x %8s [%10[a-z]%c %f,%lf%n", &b, &u, word, set, &letter, &f, &d, &c);
		printf("%s: %d %d %x %s %s %c %g %g %d\n", text, n, b, u, word, set, letter, f, d, c);
	}
	int one = 0, two = 0;
	long long three = 0;
	short four = 0;
	char *made = 0;
	printf("%d\n", sscanf("12:34:56:78", "%d:%*d:%lld:%hd", &one, &three, &four));
	printf("%d %lld %d\n", one, three, four);
	printf("%d\n", sscanf("0x1f 017 99", "%i %i", &one, &two));
	printf("%d %d\n", one, two);
	printf("%d\n", sscanf("allocated text", "%ms", &made));
	printf("%s\n", made);
	free(made);
	printf("%d %d\n", sscanf("", "%d", &one), sscanf("x", "%d", &one));
	printf("%d %ld %lld %" PRIdMAX "\n", atoi("  -12"), atol("99x"), atoll("-7"), strtoimax("55", 0, 10));
	wchar_t *end;
	printf("%ld %g\n", wcstol(L"-77x", &end, 10), wcstod(L"2.5e3", 0));
	printf("%d\n", scanf("%d", &one));
	return 3;
}
