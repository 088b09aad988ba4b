/* Linked to a task to run it on given input values.
 *
 * CHECK_VALUES names a file with one value in each line, CHECK_LOG the file
 * that gets one line for each event, CHECK_REACH is "1" when the run ends at
 * reach_error. The task's own definitions win over the weak ones here.
 * The memory of this file never comes from malloc: it must not show up in a
 * report about leaks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
#define CALLER __builtin_return_address(0)

enum { ENDED_BY_ASSUME = 7, ENDED_BY_ABORT = 8, REACHED = 42 };

static const char *next_value, *values_end;
static int log_file = -1;

static void record(const char *event, void *caller) {
  if (log_file >= 0) dprintf(log_file, "%s %p\n", event, caller);
}

__attribute__((constructor)) static void open_files(void) {
  const char *path = getenv("CHECK_VALUES"), *log = getenv("CHECK_LOG");
  if (log) log_file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  int file = path ? open(path, O_RDONLY) : -1;
  struct stat info;
  if (file < 0 || fstat(file, &info) || info.st_size == 0) return;
  next_value = mmap(0, info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  values_end = next_value + info.st_size;
  close(file);
}

/* Copies the next value, or "0" when there is none left. */
static void take(char *to, int size) {
  int length = 0;
  while (next_value < values_end && *next_value != '\n') {
    if (length < size - 1) to[length++] = *next_value;
    next_value++;
  }
  if (next_value < values_end) next_value++;
  if (length == 0) to[length++] = '0';
  to[length] = 0;
}

static double take_real(void) {
  char text[128];
  take(text, sizeof text);
  return strtod(text, 0);
}

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 widest;
#else
typedef unsigned long long widest;
#endif

static widest take_integer(void) {
  char text[128];
  take(text, sizeof text);
  if (strpbrk(text, ".xpn")) return (widest)(long long)strtod(text, 0);
  const char *digit = text + (*text == '-');
  widest value = 0;
  while (*digit >= '0' && *digit <= '9') value = value * 10 + (widest)(*digit++ - '0');
  return *text == '-' ? 0 - value : value;
}

#define INTEGER(type, name)                          \
  WEAK type __VERIFIER_nondet_##name(void) {         \
    record("__VERIFIER_nondet_" #name, CALLER);      \
    return (type)take_integer();                     \
  }
#define REAL(type, name)                             \
  WEAK type __VERIFIER_nondet_##name(void) {         \
    record("__VERIFIER_nondet_" #name, CALLER);      \
    return (type)take_real();                        \
  }

INTEGER(_Bool, bool)
INTEGER(char, char)
INTEGER(unsigned char, uchar)
INTEGER(unsigned char, u8)
INTEGER(short, short)
INTEGER(unsigned short, ushort)
INTEGER(unsigned short, u16)
INTEGER(int, int)
INTEGER(unsigned, uint)
INTEGER(unsigned, unsigned)
INTEGER(unsigned, u32)
INTEGER(long, long)
INTEGER(unsigned long, ulong)
INTEGER(long long, longlong)
INTEGER(unsigned long long, ulonglong)
INTEGER(long long, loff_t)
INTEGER(unsigned long long, sector_t)
INTEGER(unsigned long, size_t)
INTEGER(unsigned long, pthread_t)
INTEGER(unsigned long, pointer)
INTEGER(unsigned long, pchar)
INTEGER(unsigned long, charp)
#ifdef __SIZEOF_INT128__
INTEGER(__int128, int128)
INTEGER(unsigned __int128, uint128)
#endif
REAL(float, float)
REAL(double, double)

/* A call of this function is also put at the start of a reach_error that the task defines. */
void __check_reached(void *caller) {
  const char *stop = getenv("CHECK_REACH");
  record("reach_error", caller);
  if (stop && *stop == '1') _exit(REACHED);
}

WEAK void reach_error(void) { __check_reached(CALLER); }

WEAK void __VERIFIER_assume(int condition) {
  if (condition) return;
  record("assume", CALLER);
  _exit(ENDED_BY_ASSUME);
}

void __wrap_abort(void) {
  record("abort", CALLER);
  _exit(ENDED_BY_ABORT);
}

/* Overwrites the stack below, so that no pointer of main stays behind for the leak check. */
__attribute__((noinline)) static void wipe_stack(void) {
  volatile char space[1 << 16];
  for (unsigned i = 0; i < sizeof space; i++) space[i] = 0;
}

int __real_main(int, char **, char **);
int __wrap_main(int count, char **arguments, char **environment) {
  int status = __real_main(count, arguments, environment);
  wipe_stack();
  record("end", CALLER);
  return status;
}
