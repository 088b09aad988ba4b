#include "cases.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf top;
static sigjmp_buf other;

static int depth(int n, int code)
{
	char room[32];
	memset(room, n, sizeof room);
	if (n == 0)
		longjmp(top, code);
	return depth(n - 1, code) + room[3];
}

static int inner(jmp_buf where, int n)
{
	jmp_buf here;
	volatile int seen = 0;
	int code = setjmp(here);
	if (code == 0) {
		if (n > 3)
			longjmp(where, n);
		return inner(here, n + 1);
	}
	seen += code;
	printf("inner %d got %d\n", n, seen);
	if (n > 1)
		longjmp(where, code + 10);
	return seen;
}

static void last(void) { puts("last"); }

static void jumping(void)
{
	jmp_buf here;
	if (!setjmp(here))
		longjmp(here, 1);
	puts("jumped at the end");
}

__attribute__((constructor(101))) static void first(void)
{
	puts("first constructor");
	atexit(last);
}

__attribute__((constructor)) static void second(void) { printf("second %s\n", "constructor"); }

__attribute__((destructor)) static void after(void) { puts("destructor"); }

int main(void)
{
	for (volatile int i = 0; i < 100; i++) {
		volatile int kept = i * 3;
		int size = 1 + below(50);
		char changing[size];
		int code = setjmp(top);
		if (code == 0) {
			memset(changing, 1, size);
			kept++;
			depth(below(30), (int)below(4) - 1);
		}
		printf("%d: %d %d %d\n", (int)i, code, (int)kept, changing[size - 1]);
	}
	jmp_buf outer, copy;
	int code = setjmp(outer);
	if (code == 0)
		printf("returned %d\n", inner(outer, 0));
	else
		printf("outer got %d\n", code);
	volatile int round = 0;
	code = sigsetjmp(other, 1);
	printf("sig %d\n", code);
	if (round++ < 3)
		siglongjmp(other, round);
	round = 0;
	code = _setjmp(copy);
	memcpy(outer, copy, sizeof copy);
	if (round++ < 2)
		_longjmp(outer, 5);
	printf("%d %d\n", code, (int)round);
	atexit(jumping);
	return 9;
}
