// Starts unzip on an archive of one empty member. In the archive's directory, the flags and the method
// of compression of the member are symbolic.
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int unzip_main(int argc, char **argv);

static unsigned char archive[] = {
    // the member: signature, version, flags, method, time, date, sum, sizes, lengths of name and extra
    'P', 'K', 3, 4, 10, 0, 0, 0, 0, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'a',
    // the directory: the same, with two versions, and lengths, attributes and place at the end
    'P', 'K', 1, 2, 10, 3, 10, 0, 0, 0, 0, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'a',
    // the end: numbers of disks and members, length and place of the directory, length of a remark
    'P', 'K', 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 47, 0, 0, 0, 31, 0, 0, 0, 0, 0};

enum { DIRECTORY = 31, FLAGS = 8 };

int main(int argc, char **argv) {
  unsigned char bytes[4];
  klee_make_symbolic(bytes, sizeof bytes, "flags and method");
  memcpy(archive + DIRECTORY + FLAGS, bytes, sizeof bytes);
  FILE *file = fopen("archive.zip", "wb");
  fwrite(archive, sizeof archive, 1, file);
  fclose(file);
  char *arguments[] = {"unzip", MODE, "archive.zip", NULL};
  return unzip_main(3, arguments);
}
