//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: folder_by_other_names.c:16:7: open: the working directory is one of many
//@ incomplete: folder_by_other_names.c:18:7: stat: inode numbers
//@ incomplete: folder_by_other_names.c:20:7: chdir: the working directory is one of many
//@ incomplete: folder_by_other_names.c:22:7: chdir: the working directory is one of many
//@ incomplete: folder_by_other_names.c:24:10: access: the working directory is one of many
//@ why: that the folder is called so, and that it is where it is, is so in the model only
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  struct stat status;
  close(open("x", O_CREAT | O_RDWR, 0600));
  if (open("../user/x", O_RDONLY) < 0)
    return 1;
  if (stat("./x", &status))
    return 2;
  if (chdir("/home/user"))
    return 3;
  if (chdir("../.."))
    return 4;
  return access("home", F_OK) != 0;
}
