//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: equality, order within an object, differences and alignment are the same in every layout
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
  int numbers[5] = {5, 3, 4, 1, 2}, *end = numbers + 5, sum = 0;
  qsort(numbers, 5, sizeof *numbers, compare);
  for (int *at = numbers; at < end; at++)
    sum += *at;
  char *text = strdup("a,b,c"), *other = malloc(16), *rest;
  if (text == other || !text || ((uintptr_t)other & 15) || (uintptr_t)other % 8)
    return 1;
  int parts = 0;
  for (char *part = strtok(text, ","); part; part = strtok(0, ","))
    parts++;
  errno = 0;
  long number = strtol("12x", &rest, 10);
  const char *letters = "abc";
  printf("%d %ld %s\n", sum, number, strchr(letters, 'c'));
  if (strchr(letters, 'c') - letters != 2 || *rest != 'x')
    return 2;
  free(text);
  free(other);
  return errno + parts - 3;
}
