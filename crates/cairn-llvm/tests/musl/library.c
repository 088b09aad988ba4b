#define _GNU_SOURCE
#include "cases.h"
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <fnmatch.h>
#include <regex.h>
#include <time.h>
#include <unistd.h>

static int ascending(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

static int by(const void *a, const void *b, void *mask)
{
	return (*(const int *)a & *(int *)mask) - (*(const int *)b & *(int *)mask);
}

static void options(int argc, char **argv)
{
	static const struct option longs[] = {
		{"alpha", no_argument, 0, 'a'}, {"beta", required_argument, 0, 'b'}, {"gamma", optional_argument, 0, 'c'}, {0, 0, 0, 0}};
	int c, index;
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "ab:c::", longs, &index)) != -1)
		printf("%c=%s ", c, optarg ? optarg : "-");
	for (; optind < argc; optind++)
		printf("<%s>", argv[optind]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	printf("%d %s %d\n", argc, argc > 1 ? argv[argc - 1] : "alone", argv[argc] == 0);
	for (int round = 0; round < 60; round++) {
		int n = below(40), numbers[40];
		for (int i = 0; i < n; i++)
			numbers[i] = (int)below(60);
		if (round % 2) {
			int mask = 0x3c;
			qsort_r(numbers, n, sizeof *numbers, by, &mask);
			for (int i = 1; i < n; i++)
				if ((numbers[i - 1] & mask) > (numbers[i] & mask))
					puts("unsorted");
		} else
			qsort(numbers, n, sizeof *numbers, ascending);
		long sum = 0;
		for (int i = 0; i < n; i++)
			sum = sum * 31 + (round % 2 ? numbers[i] & 0x3c : numbers[i]);
		int key = below(60);
		int *found = round % 2 ? 0 : bsearch(&key, numbers, n, sizeof *numbers, ascending);
		printf("%d %ld %d\n", n, sum, found ? *found : -1);
	}
	options(5, (char *[]){"p", "-a", "--beta=x", "rest", "-cy", 0});
	options(6, (char *[]){"p", "--gamma", "--al", "-b", "--", "z", 0});
	options(4, (char *[]){"p", "-q", "--nothing", "-b", 0});
	for (int i = 0; i < 150; i++) {
		time_t t = (time_t)(random_bits() >> (20 + below(30)));
		if (below(3) == 0)
			t = -t;
		struct tm tm;
		char line[200];
		if (!gmtime_r(&t, &tm)) {
			printf("%lld: too large\n", (long long)t);
			continue;
		}
		strftime(line, sizeof line, "%Y-%m-%d %H:%M:%S %a %A %b %B %c %D %e %F %G %g %I %j %p %r %R %T %U %u %V %W %w %x %X %y %Z %%", &tm);
		printf("%lld: %s %lld\n", (long long)t, line, (long long)timegm(&tm));
	}
	struct tm tm = {0};
	char *end = strptime("2024-02-29 12:34:56", "%Y-%m-%d %H:%M:%S", &tm);
	printf("%d %d %d %d %d %d\n", end && !*end, tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_wday, tm.tm_yday);
	tm.tm_mday += 400;
	printf("%lld %s", (long long)mktime(&tm), asctime(&tm));
	printf("%s %s\n", setlocale(LC_ALL, 0), setlocale(LC_ALL, "C"));
	printf("%s %zu\n", localeconv()->decimal_point, MB_CUR_MAX);
	printf("%s\n", setlocale(LC_ALL, "C.UTF-8") ? "UTF-8" : "none");
	printf("%zu\n", MB_CUR_MAX);
	printf("%s\n", getenv("NO_SUCH_NAME") ? "there" : "not there");
	setenv("NAME", "value", 1);
	printf("%s\n", getenv("NAME"));
	printf("%d", unsetenv("NAME"));
	printf(" %d\n", getenv("NAME") == 0);
	char path[] = "/usr/lib/thing.c", path2[] = "/usr/lib/thing.c";
	printf("%s %s\n", basename(path), dirname(path2));
	static const char *patterns[] = {"*.c", "a?c", "[a-c]*", "*/x", "\\*", "[!a]*"};
	static const char *names[] = {"main.c", "abc", "b", "d/x", "*", "zzz", ""};
	for (int p = 0; p < 6; p++)
		for (int n = 0; n < 7; n++)
			printf("%d", fnmatch(patterns[p], names[n], 0));
	putchar('\n');
	regex_t regex;
	regmatch_t match[3];
	printf("%d\n", regcomp(&regex, "([a-z]+)=([0-9]*)", REG_EXTENDED));
	for (int i = 0; i < 20; i++) {
		char text[40];
		snprintf(text, sizeof text, "%u%c%c=%u;", below(10), 'a' + below(26), 'A' + below(58), below(1000));
		int status = regexec(&regex, text, 3, match, 0);
		printf("%s %d", text, status);
		if (!status)
			printf(" %d-%d %d-%d", (int)match[1].rm_so, (int)match[1].rm_eo, (int)match[2].rm_so, (int)match[2].rm_eo);
		putchar('\n');
	}
	regfree(&regex);
	srand(7);
	for (int i = 0; i < 20; i++)
		printf("%d ", rand());
	srandom(9);
	for (int i = 0; i < 20; i++)
		printf("%ld ", random());
	srand48(5);
	printf("%ld %f\n", lrand48(), drand48());
	div_t d = div(-17, 5);
	lldiv_t e = lldiv(-17, 5);
	printf("%d %d %lld %lld %d %ld\n", d.quot, d.rem, e.quot, e.rem, abs(-3), labs(-4));
	hcreate(30);
	hsearch((ENTRY){"key", "data"}, ENTER);
	ENTRY *found = hsearch((ENTRY){"key", 0}, FIND);
	printf("%s\n", found ? (char *)found->data : "none");
	hdestroy();
	errno = 0;
	printf("%d %d\n", close(77), errno);
	perror("perror");
	char *grown = malloc(3);
	strcpy(grown, "ab");
	grown = realloc(grown, 300);
	strcat(grown, "cd");
	char *printed;
	printf("%s %d %s\n", grown, asprintf(&printed, "%d+%d", 1, 2), printed);
	free(grown);
	free(printed);
	exit(200);
}
