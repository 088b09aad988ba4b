/* The average of the arguments. With no argument it divides by zero; can you see where? */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int count = argc - 1;
  int *numbers = malloc(count * sizeof *numbers);
  int sum = 0;
  for (int i = 0; i < count; i++) {
    numbers[i] = atoi(argv[i + 1]);
    sum += numbers[i];
  }
  printf("average %d\n", sum / count);
  free(numbers);
  return 0;
}
