#define _GNU_SOURCE
#include "cases.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	FILE *null = fopen("/dev/null", "r+");
	printf("%d %d %d %d\n", null != 0, fgetc(null), feof(null), ferror(null));
	printf("%d %d\n", fprintf(null, "lost %d\n", 5), fflush(null));
	printf("%d\n", fclose(null));
	errno = 0;
	printf("%d", fopen("/no/such/file", "r") == 0);
	printf(" %d\n", errno);
	char memory[64];
	FILE *inside = fmemopen(memory, sizeof memory, "w+");
	for (int i = 0; i < 20; i++)
		fprintf(inside, "%d,", i);
	rewind(inside);
	int number, sum = 0;
	while (fscanf(inside, "%d,", &number) == 1)
		sum += number;
	printf("%d %ld %d\n", sum, ftell(inside), feof(inside));
	fseek(inside, 4, SEEK_SET);
	char line[20];
	printf("%s %d\n", fgets(line, 8, inside), ungetc('z', inside));
	printf("%c %c\n", fgetc(inside), getc(inside));
	fclose(inside);
	char *text;
	size_t size;
	FILE *growing = open_memstream(&text, &size);
	for (int i = 0; i < 300; i++)
		fprintf(growing, "%d-%s;", i, "x");
	fclose(growing);
	printf("%zu %.20s\n", size, text);
	FILE *reading = fmemopen(text, size, "r");
	char *part = 0;
	size_t room = 0;
	int parts = 0;
	ssize_t got, bytes = 0;
	while ((got = getdelim(&part, &room, ';', reading)) > 0)
		parts++, bytes += got;
	printf("%d %zd %s\n", parts, bytes, part);
	fclose(reading);
	free(part);
	free(text);
	printf("%d %d\n", getchar(), feof(stdin));
	printf("%zd\n", write(1, "direct\n", 0));
	fflush(stdout);
	printf("%zd\n", write(1, "direct\n", 7));
	fcntl(1, F_GETFD);
	printf("%ld\n", syscall(SYS_getuid) == getuid() ? 1L : 0L);
	setvbuf(stdout, 0, _IONBF, 0);
	printf("unbuffered %d\n", 1);
	fprintf(stderr, "errors\n");
	dprintf(1, "%s\n", "dprintf");
	return 0;
}
