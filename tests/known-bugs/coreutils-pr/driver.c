// Starts pr with arguments that are copies on the heap, whose ends are known.
#include <stdlib.h>
#include <string.h>

int pr_main(int argc, char **argv);

int main(int argc, char **argv) {
  char **copies = calloc(argc + 1, sizeof *copies);
  for (int i = 0; i < argc; i++)
    copies[i] = strdup(argv[i]);
  return pr_main(argc, copies);
}
