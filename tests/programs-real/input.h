/* Standard input as a block of memory, for programs that give a library something to parse. */

#include <stdlib.h>
#include <unistd.h>

/* All of standard input, at most 4096 bytes, in memory of just that size: a read behind its end is
   an error. */
static char *input(size_t *size)
{
	static char buffer[4096];
	ssize_t got;
	*size = 0;
	while (*size < sizeof buffer && (got = read(0, buffer + *size, sizeof buffer - *size)) > 0)
		*size += got;
	char *copy = malloc(*size ? *size : 1);
	if (!copy)
		exit(2);
	for (size_t i = 0; i < *size; i++)
		copy[i] = buffer[i];
	return copy;
}
