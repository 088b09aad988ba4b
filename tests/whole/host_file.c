//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: host_file.c:10:7: access: a file of the host is not in the model; --file and --ro-dir make files readable
//@ why: whether the host has such a file is not known; a name in the working directory is
#include <unistd.h>

int main(void) {
  if (access("none", F_OK) == 0)
    return 1;
  if (access("/etc/passwd", F_OK) == 0)
    return 2;
  return 0;
}
