// What all programs of `cairn-fuzz environment` begin with: headers, and what questions share.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long fold(const void *from, unsigned long size) {
  const unsigned char *bytes = from;
  unsigned long sum = 1469598103934665603u;
  for (unsigned long i = 0; i < size; i++)
    sum = (sum ^ bytes[i]) * 1099511628211u;
  return (long)(sum >> 1);
}

static long fold_text(const char *text) { return text ? fold(text, strlen(text)) : -1; }

static int make_file(const char *name, int size) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  char bytes[64];
  memset(bytes, 'x', sizeof bytes);
  while (fd >= 0 && size > 0) {
    int part = size < 64 ? size : 64;
    if (write(fd, bytes, part) != part)
      break;
    size -= part;
  }
  return fd;
}

int main(void);
static void *const main_address = (void *)main;
static int global, other;

static volatile int calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *once(void *with) {
  calls++;
  return with;
}

static void *many(void *with) {
  for (int i = 0; i < 2000; i++)
    calls++;
  return with;
}

static void *locked(void *with) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
  }
  return with;
}

static int eleven(void *with) { return with ? 1 : 11; }

static volatile sig_atomic_t noted;

static void note(int signal) { noted = signal; }

static int deeper(int *above) {
  int here;
  int *volatile below = &here;
  return (long)above < (long)below;
}

static int by_address(const void *a, const void *b) {
  unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
  return x < y ? -1 : x > y;
}

static int recurse(int depth) {
  volatile char room[1024];
  room[depth % 1024] = depth;
  return depth == 0 ? 0 : recurse(depth - 1) + room[depth % 1024] % 2;
}
