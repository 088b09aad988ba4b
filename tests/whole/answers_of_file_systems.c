//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: answers_of_file_systems.c:22:10: lseek: file systems differ in the holes of files
//@ incomplete: answers_of_file_systems.c:23:10: lseek: file systems differ in how large
//@ incomplete: answers_of_file_systems.c:24:10: ftruncate: file systems differ in how large
//@ incomplete: answers_of_file_systems.c:25:10: pwrite64: file systems differ in how large
//@ incomplete: answers_of_file_systems.c:26:10: lseek: places in a folder
//@ incomplete: answers_of_file_systems.c:28:10: renameat2: file systems differ
//@ incomplete: answers_of_file_systems.c:29:10: linkat: versions of Linux differ
//@ incomplete: answers_of_file_systems.c:30:10: open: versions of Linux differ
//@ incomplete: answers_of_file_systems.c:31:10: fchmodat2: versions of Linux differ
//@ why: these answers are those of one file system and one version of Linux
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  long sum = 0;
  int file = open("x", O_RDWR | O_CREAT, 0600), folder = open(".", O_RDONLY | O_DIRECTORY);
  sum += pwrite(file, "a", 1, 100000);
  sum += lseek(file, 0, SEEK_DATA);
  sum += lseek(file, 1L << 50, SEEK_SET);
  sum += ftruncate(file, 1L << 40);
  sum += pwrite(file, "a", 1, 1L << 40);
  sum += lseek(folder, 0, SEEK_END);
  close(open("y", O_RDWR | O_CREAT, 0600));
  sum += syscall(SYS_renameat2, AT_FDCWD, "x", AT_FDCWD, "y", 2);
  sum += linkat(file, "", AT_FDCWD, "z", AT_EMPTY_PATH);
  sum += open("v", O_RDWR | O_CREAT | O_DIRECTORY, 0600);
  sum += syscall(452, AT_FDCWD, "x", 0600, 0);
  return sum == 7;
}
