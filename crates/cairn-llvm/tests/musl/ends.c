/* The ways a program ends; which one is the first argument. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(void) { puts("handler"); }
static void quick(void) { write(1, "quick\n", 6); }

int main(int argc, char **argv)
{
	atexit(handler);
	at_quick_exit(quick);
	printf("buffered");
	switch (argc) {
	case 1: return 300;
	case 2: exit(4);
	case 3: _exit(5);
	case 4: quick_exit(6);
	case 5: fflush(stdout); abort();
	case 6: _Exit(7);
	}
	return 0;
}
