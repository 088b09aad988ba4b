//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: host_file_by_link.c:12:7: access: a file of the host is not in the model
//@ why: a link that leads out of the working directory leads to what the host has; one that does not, does not
#include <unistd.h>

int main(void) {
  if (symlink("none", "inner") || symlink("/etc/passwd", "outer"))
    return 1;
  if (access("inner", F_OK) == 0)
    return 2;
  if (access("outer", F_OK) == 0)
    return 3;
  return 0;
}
