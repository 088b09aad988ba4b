//@ exit: 2
//@ incomplete: host_file_by_input.c:15:7: open: a file of the host is not in the model
//@ incomplete: host_file_by_input.c:17:7: mkdir: it is refused, as to an unprivileged user
//@ why: what all unknown names are answered alike is assumed as with a known name
#include <klee/klee.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  char name[2];
  klee_make_symbolic(name, sizeof name, "name");
  klee_assume(name[0] >= 'a' & name[0] <= 'z' & name[1] == 0);
  chdir("/");
  if (open(name, O_RDONLY) >= 0)
    return 1;
  if (mkdir(name, 0777) == 0)
    return 2;
  return 0;
}
