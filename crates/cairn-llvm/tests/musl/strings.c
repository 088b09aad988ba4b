#define _GNU_SOURCE
#include "cases.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <wctype.h>

static int sign(int n) { return (n > 0) - (n < 0); }

static void fill(char *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = 'a' + below(3);
	to[n] = 0;
}

static int place(const char *base, const void *at) { return at ? (int)((const char *)at - base) : -1; }

int main(void)
{
	for (int i = 0; i < 200; i++) {
		int n = below(24), m = below(6);
		/* Objects of just the size, so that reading past the end is seen. */
		char *a = malloc(n + 1), *b = malloc(m + 1), *c = malloc(n + m + 1);
		fill(a, n);
		fill(b, m);
		printf("%s %s: %d %d %d %d", a, b, sign(strcmp(a, b)), sign(strncmp(a, b, 3)), sign(memcmp(a, b, n < m ? n : m)),
		       sign(strcasecmp(a, b)));
		printf(" %d %d %d %d", place(a, strchr(a, 'b')), place(a, strrchr(a, 'b')), place(a, strstr(a, b)),
		       place(a, memchr(a, 'c', n)));
		printf(" %d %d %d %d", (int)strspn(a, b), (int)strcspn(a, b), place(a, strpbrk(a, b)), place(a, memmem(a, n, b, m)));
		printf(" %d %d %d", (int)strnlen(a, 5), place(a, strchrnul(a, 'c')), place(a, memrchr(a, 'a', n)));
		strcpy(c, a);
		strcat(c, b);
		printf(" %s", c);
		memset(c, 'x', n + m);
		strncpy(c, b, n + m);
		printf(" %s %d", c, (int)strlcpy(c, a, n + m + 1));
		printf(" %d %s", place(c, stpcpy(c, b)), c);
		char *d = strndup(a, 4);
		printf(" %s %d\n", d, place(a, strcasestr(a, "B")));
		free(a);
		free(b);
		free(c);
		free(d);
	}
	for (int c = -1; c < 256; c++)
		printf("%d: %d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", c, !!isalpha(c), !!isdigit(c), !!isalnum(c), !!isspace(c),
		       !!isupper(c), !!islower(c), !!ispunct(c), !!iscntrl(c), !!isgraph(c), !!isprint(c), !!isxdigit(c),
		       !!isblank(c), toupper(c), tolower(c));
	for (int i = 0; i < 100; i++) {
		wint_t c = below(0x30000);
		printf("%x: %d%d%d%d%d %x %x %d\n", c, !!iswalpha(c), !!iswdigit(c), !!iswspace(c), !!iswupper(c), !!iswpunct(c),
		       towupper(c), towlower(c), wcwidth(c));
	}
	char list[] = "one,two;;three , four", *rest = list, *part;
	while ((part = strsep(&rest, ",;")))
		printf("<%s>", part);
	char more[] = " a b  c", *save;
	for (part = strtok_r(more, " ", &save); part; part = strtok_r(0, " ", &save))
		printf("(%s)", part);
	putchar('\n');
	for (int i = 0; i < 140; i++)
		printf("%d %s\n", i, strerror(i));
	for (int i = 0; i < 70; i++)
		printf("%d %s\n", i, strsignal(i));
	printf("%d %d\n", sign(strverscmp("a9", "a10")), sign(strcoll("a", "b")));
	wchar_t wide[20];
	printf("%d %d\n", (int)mbstowcs(wide, "text", 20), (int)wcslen(wide));
	printf("%d %ls\n", (int)wcsspn(L"aab", L"a"), wcschr(L"wide", L'd'));
	return 0;
}
