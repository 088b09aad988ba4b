//@ run: --sym-sockets 1 1
//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: host_file_by_folder.c:18:7: open: a file of the host is not in the model
//@ incomplete: host_file_by_folder.c:22:7: openat: a file of the host is not in the model
//@ incomplete: host_file_by_folder.c:24:7: access: a file of the host is not in the model
//@ incomplete: host_file_by_folder.c:28:7: bind: a file of the host is not in the model
//@ why: names that are not in the working directory where they end, whatever they look like
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
  struct sockaddr_un here = {AF_UNIX, "door"};
  chdir("/tmp");
  if (open("x", O_RDONLY) >= 0)
    return 1;
  chdir("/home/user");
  int folder = open("/tmp", O_DIRECTORY);
  if (openat(folder, "x", O_RDONLY) >= 0)
    return 2;
  if (access("./../../x", F_OK) == 0)
    return 3;
  fchdir(folder);
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(s, (struct sockaddr *)&here, sizeof here) < 0)
    return 4;
  return 0;
}
