//@ exit: 2
//@ paths: 0 completed, 0 errors, 1 stopped
//@ incomplete: second_process.c:8: a second process
//@ why: a second process is not modelled, and is no error of the program
#include <unistd.h>

int main(void) {
  return fork() == 0;
}
