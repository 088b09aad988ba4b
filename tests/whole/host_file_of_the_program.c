//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: what is in the working directory and in folders that the program made there is known, by names that stay there
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  if (mkdir("folder", 0700) || access("./folder/../none", F_OK) == 0)
    return 1;
  if (chdir("folder") || open("../none", O_RDONLY) >= 0 || open("none", O_RDONLY) >= 0)
    return 2;
  int out = open("/dev/null", O_WRONLY | O_CREAT, 0600);
  return out < 0 || write(out, "x", 1) != 1 || symlink("../file", "link") || open("link", O_RDWR | O_CREAT, 0600) < 0;
}
