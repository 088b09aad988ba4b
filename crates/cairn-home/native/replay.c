/* The library that a program is linked with to run on a test.
 *
 * It stands in for the engine: what was symbolic gets the bytes of the test that $KTEST_FILE names.
 * A request takes the first object not yet taken whose name is the requested one, or that name with
 * _1, _2 and so on behind it. Objects are in the order of the requests, so this is the object that
 * the engine made for this request, if the program takes the same path.
 *
 * Ends that are not the program's own have exit codes of their own, and are told to the file that
 * $CAIRN_REPLAY_REPORT names, because a program may use any exit code itself:
 *   60 a condition that was assumed is false       61 the program reported an error
 *   62 the test does not fit the program           63 there is no test, or it cannot be read
 *   64 a function that has no native counterpart
 */

#define _GNU_SOURCE
#include <cairn/cairn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
/* Not every library of C has it. */
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

enum { ASSUMED = 60, REPORTED = 61, MISFIT = 62, NO_TEST = 63, UNSUPPORTED = 64 };

/* What programs may define themselves, or not at all. */
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
/* The sanitizer's, if the program was built with it. */
__attribute__((weak)) void *__asan_region_is_poisoned(void *start, size_t size);
__attribute__((weak)) const char *__asan_locate_address(void *address, char *name,
                                                        size_t name_size, void **region,
                                                        size_t *region_size);

struct object {
  const unsigned char *name, *bytes;
  size_t name_length, length;
  int taken;
};

/* The file, which objects point into. */
static unsigned char *test;
static struct object *objects;
static size_t object_count;

/* What the variables said, once they are hidden from the program. */
static char *hidden_test, *hidden_report;

/* In a run of a whole program, which prints or counts its variables perhaps. */
static void hide_variables(void) {
  const char *file = getenv("KTEST_FILE"), *report = getenv("CAIRN_REPLAY_REPORT");
  hidden_test = file ? strdup(file) : NULL;
  hidden_report = report ? strdup(report) : NULL;
  unsetenv("KTEST_FILE");
  unsetenv("CAIRN_REPLAY_REPORT");
  unsetenv("CAIRN_REPLAY_HIDDEN");
}

/* Tells the report file and standard error how the run ended. */
static void tell(int code, const char *format, va_list arguments) {
  static const char *const words[] = {"assume", "error", "misfit", "no-test", "unsupported"};
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  fflush(stdout);
  fprintf(stderr, "cairn replay: %s\n", message);
  const char *report = hidden_report ? hidden_report : getenv("CAIRN_REPLAY_REPORT");
  FILE *file = report ? fopen(report, "w") : NULL;
  if (file) {
    fprintf(file, "%s %s\n", words[code - ASSUMED], message);
    fclose(file);
  }
}

__attribute__((noreturn, format(printf, 2, 3))) static void end(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tell(code, format, arguments);
  va_end(arguments);
  /* No handlers of the program: it did not come to its end. */
  _exit(code);
}

__attribute__((noreturn, format(printf, 1, 2))) static void report_and_abort(const char *format,
                                                                             ...) {
  va_list arguments;
  va_start(arguments, format);
  tell(REPORTED, format, arguments);
  va_end(arguments);
  abort();
}

/* Reading the test. */

struct reader {
  const char *file;
  const unsigned char *bytes;
  size_t length, offset;
};

static const unsigned char *read_bytes(struct reader *reader, size_t count) {
  if (count > reader->length - reader->offset)
    end(NO_TEST, "%s: offset %zu: expected %zu more bytes", reader->file, reader->offset, count);
  const unsigned char *bytes = reader->bytes + reader->offset;
  reader->offset += count;
  return bytes;
}

static size_t read_number(struct reader *reader) {
  const unsigned char *b = read_bytes(reader, 4);
  return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

static unsigned char *read_file(const char *name, size_t *length) {
  FILE *file = fopen(name, "rb");
  if (!file)
    end(NO_TEST, "%s: cannot be opened: %s", name, strerror(errno));
  size_t room = 4096, used = 0;
  unsigned char *bytes = NULL;
  do {
    room *= 2;
    bytes = realloc(bytes, room);
    if (!bytes)
      end(NO_TEST, "%s: too large", name);
    used += fread(bytes + used, 1, room - used, file);
  } while (used == room);
  if (ferror(file))
    end(NO_TEST, "%s: cannot be read", name);
  fclose(file);
  *length = used;
  return bytes;
}

static void load_test(void) {
  static int loaded;
  if (loaded)
    return;
  loaded = 1;
  struct reader reader = {.file = hidden_test ? hidden_test : getenv("KTEST_FILE")};
  if (!reader.file)
    end(NO_TEST, "the variable KTEST_FILE must name the test to run on");
  reader.bytes = test = read_file(reader.file, &reader.length);
  const unsigned char *magic = read_bytes(&reader, 5);
  if (memcmp(magic, "KTEST", 5) != 0 && memcmp(magic, "BOUT\n", 5) != 0)
    end(NO_TEST, "%s: not a test: expected the letters KTEST at the beginning", reader.file);
  size_t version = read_number(&reader);
  if (version < 1 || version > 3)
    end(NO_TEST, "%s: expected version 1, 2 or 3, found %zu", reader.file, version);
  for (size_t args = read_number(&reader); args > 0; args--)
    read_bytes(&reader, read_number(&reader));
  if (version >= 2)
    read_bytes(&reader, 8);
  object_count = read_number(&reader);
  if (object_count > (reader.length - reader.offset) / 8)
    end(NO_TEST, "%s: expected %zu objects, but the file is too short", reader.file, object_count);
  objects = calloc(object_count + 1, sizeof *objects);
  if (!objects)
    end(NO_TEST, "%s: too large", reader.file);
  for (size_t i = 0; i < object_count; i++) {
    objects[i].name_length = read_number(&reader);
    objects[i].name = read_bytes(&reader, objects[i].name_length);
    objects[i].length = read_number(&reader);
    objects[i].bytes = read_bytes(&reader, objects[i].length);
  }
}

/* Handing objects out. */

static int is_called(const struct object *object, const char *name) {
  size_t length = strlen(name);
  if (object->name_length < length || memcmp(object->name, name, length) != 0)
    return 0;
  if (object->name_length == length)
    return 1;
  if (object->name[length] != '_' || object->name_length == length + 1)
    return 0;
  for (size_t i = length + 1; i < object->name_length; i++)
    if (object->name[i] < '0' || object->name[i] > '9')
      return 0;
  return 1;
}

static struct object *find(const char *name) {
  load_test();
  for (size_t i = 0; i < object_count; i++)
    if (!objects[i].taken && is_called(&objects[i], name))
      return &objects[i];
  return NULL;
}

static struct object *take(const char *name) {
  struct object *object = find(name);
  if (!object)
    end(MISFIT, "the test has no object %s left: the program took another path", name);
  object->taken = 1;
  return object;
}

static void fill(void *address, size_t length, const char *name) {
  struct object *object = take(name);
  if (object->length != length)
    end(MISFIT, "the object %s has %zu bytes in the test, but %zu in the program", name,
        object->length, length);
  memcpy(address, object->bytes, length);
}

/* What the program was told by the system, where the test holds it: readings of clocks (seconds and
 * nanoseconds, each a word), random bytes, the number of the process. Everything else is answered by
 * the real system. The definitions are weak, so that a library whose own functions need each other
 * keeps its own. */

static struct object *told(const char *name, size_t length) {
  if (!hidden_test && !getenv("KTEST_FILE"))
    return NULL;
  struct object *object = find(name);
  if (!object || object->length != length)
    return NULL;
  object->taken = 1;
  return object;
}

/* Readings are called by the clock's number, because the library may look at other clocks than the one
 * that the test was made with. Older tests call all of them clock. */
static int told_time(clockid_t clock, struct timespec *time) {
  char name[] = "clock00";
  if (clock < 0 || clock > 99)
    return 0;
  snprintf(name, sizeof name, "clock%d", (int)clock);
  struct object *object = told(name, 16);
  if (!object)
    object = told("clock", 16);
  if (!object)
    return 0;
  uint64_t words[2];
  memcpy(words, object->bytes, sizeof words);
  time->tv_sec = (time_t)words[0];
  time->tv_nsec = (long)words[1];
  return 1;
}

__attribute__((weak)) int clock_gettime(clockid_t clock, struct timespec *to) {
  return told_time(clock, to) ? 0 : (int)syscall(SYS_clock_gettime, clock, to);
}

__attribute__((weak)) time_t time(time_t *to) {
  struct timespec now = {0};
  if (!told_time(CLOCK_REALTIME, &now))
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  if (to)
    *to = now.tv_sec;
  return now.tv_sec;
}

__attribute__((weak)) int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  struct timespec now = {0};
  (void)zone;
  /* Some headers promise that it is not null, and some libraries take null. */
  if ((uintptr_t)to == 0)
    return 0;
  if (!told_time(CLOCK_REALTIME, &now))
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}

__attribute__((weak)) clock_t clock(void) {
  struct timespec now = {0};
  if (!told_time(CLOCK_PROCESS_CPUTIME_ID, &now))
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
  return (clock_t)(now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

__attribute__((weak)) ssize_t getrandom(void *to, size_t length, unsigned flags) {
  struct object *object = told("random", length);
  if (!object)
    return syscall(SYS_getrandom, to, length, flags);
  memcpy(to, object->bytes, length);
  return (ssize_t)length;
}

__attribute__((weak)) pid_t getpid(void) {
  struct object *object = told("pid", 4);
  if (!object)
    return (pid_t)syscall(SYS_getpid);
  uint32_t number;
  memcpy(&number, object->bytes, sizeof number);
  return (pid_t)number;
}

void klee_make_symbolic(void *addr, size_t nbytes, const char *name) {
  fill(addr, nbytes, name ? name : "unnamed");
}

int klee_int(const char *name) {
  int value;
  fill(&value, sizeof value, name ? name : "unnamed");
  return value;
}

int klee_range(int begin, int end_of_range, const char *name) {
  if (begin >= end_of_range)
    report_and_abort("klee_range from %d to %d is empty", begin, end_of_range);
  /* Nothing is open in a range of one, so there is no object. */
  if (end_of_range - 1 == begin)
    return begin;
  int value = klee_int(name);
  if (value < begin || value >= end_of_range)
    end(MISFIT, "%s is %d, outside of klee_range from %d to %d", name ? name : "unnamed", value,
        begin, end_of_range);
  return value;
}

uintptr_t klee_choose(uintptr_t n) {
  uintptr_t value;
  fill(&value, sizeof value, "klee_choose");
  if (value >= n)
    end(MISFIT, "klee_choose is %ju, not less than %ju", (uintmax_t)value, (uintmax_t)n);
  return value;
}

void klee_assume(uintptr_t condition) {
  if (!condition)
    end(ASSUMED, "a condition that was assumed is false");
}

void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }

void klee_silent_exit(int status) { exit(status); }

void klee_abort(void) { abort(); }

void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  end(REPORTED, "%s:%d: %s (%s)", file ? file : "?", line, message ? message : "error",
      suffix ? suffix : "user");
}

unsigned klee_is_symbolic(uintptr_t n) { return (void)n, 0; }
unsigned klee_is_replay(void) { return 1; }
int klee_get_errno(void) { return errno; }

float klee_get_valuef(float expr) { return expr; }
double klee_get_valued(double expr) { return expr; }
long klee_get_valuel(long expr) { return expr; }
long long klee_get_valuell(long long expr) { return expr; }
int32_t klee_get_value_i32(int32_t expr) { return expr; }
int64_t klee_get_value_i64(int64_t expr) { return expr; }

size_t klee_get_obj_size(void *ptr) {
  char name[8];
  void *region = NULL;
  size_t size = 0;
  if (__asan_locate_address)
    __asan_locate_address(ptr, name, sizeof name, &region, &size);
  if (!region)
    end(UNSUPPORTED, "klee_get_obj_size needs a build with --sanitize address");
  return size;
}

void klee_check_memory_access(const void *address, size_t size) {
  const volatile char *bytes = address;
  if (__asan_region_is_poisoned) {
    const volatile char *bad = __asan_region_is_poisoned((void *)address, size);
    if (bad)
      (void)*bad;
    return;
  }
  /* A byte of each page: the system stops the program where there is none. */
  for (size_t offset = 0; offset < size; offset += 4096)
    (void)bytes[offset];
  if (size > 0)
    (void)bytes[size - 1];
}

void klee_define_fixed_object(void *addr, size_t nbytes) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)addr / page * page;
  size_t length = (uintptr_t)addr + nbytes - first;
  if (mmap((void *)first, length, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)first)
    end(UNSUPPORTED, "klee_define_fixed_object: %p is not free in this process", addr);
}

void klee_mark_global(void *object) { (void)object; }
void klee_set_forking(unsigned enable) { (void)enable; }
void klee_open_merge(void) {}
void klee_close_merge(void) {}

__attribute__((noreturn)) static void no_alias(const char *function) {
  end(UNSUPPORTED, "%s has no native counterpart: calls are bound when the program is built",
      function);
}
void klee_alias_function(const char *fn_name, const char *new_fn_name) {
  (void)fn_name, (void)new_fn_name;
  no_alias("klee_alias_function");
}
void klee_alias_function_regex(const char *fn_regex, const char *new_fn_name) {
  (void)fn_regex, (void)new_fn_name;
  no_alias("klee_alias_function_regex");
}
void klee_alias_undo(const char *alias) {
  (void)alias;
  no_alias("klee_alias_undo");
}

void klee_warning(const char *message) { fprintf(stderr, "cairn replay: warning: %s\n", message); }

void klee_warning_once(const char *message) {
  /* The engine tells each message once; so do we, for as many as there is room. */
  static const char *told[64];
  size_t i = 0;
  for (; i < 64 && told[i]; i++)
    if (strcmp(told[i], message) == 0)
      return;
  if (i < 64)
    told[i] = strdup(message);
  klee_warning(message);
}

/* The type of the expression is not known here, so only the message is. */
void klee_print_expr(const char *msg, ...) { fprintf(stderr, "%s\n", msg); }
void klee_print_range(const char *name, int arg) {
  fprintf(stderr, "%s: %d to %d\n", name ? name : "unnamed", arg, arg);
}
void klee_stack_trace(void) {
#if __has_include(<execinfo.h>)
  void *frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
#else
  fputs("klee_stack_trace: this library of C cannot tell\n", stderr);
#endif
}

/* The functions of the software verification competition. */

#define NONDET(type, suffix)                                                                       \
  type __VERIFIER_nondet_##suffix(void) {                                                          \
    type value;                                                                                    \
    fill(&value, sizeof value, "nondet_" #suffix);                                                 \
    return value;                                                                                  \
  }
NONDET(char, char)
NONDET(signed char, schar)
NONDET(unsigned char, uchar)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(int, int)
NONDET(unsigned, uint)
NONDET(unsigned, unsigned)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
NONDET(uint8_t, u8)
NONDET(uint16_t, u16)
NONDET(uint32_t, u32)
NONDET(uint64_t, u64)
NONDET(size_t, size_t)
NONDET(unsigned long, sector_t)
NONDET(off_t, loff_t)
NONDET(unsigned long, pthread_t)
NONDET(float, float)
NONDET(double, double)
NONDET(void *, pointer)
NONDET(char *, pchar)
#ifdef __SIZEOF_INT128__
NONDET(__int128, int128)
NONDET(unsigned __int128, uint128)
#endif

_Bool __VERIFIER_nondet_bool(void) {
  /* Other bytes than 0 and 1 are no values of the type. */
  unsigned char byte;
  fill(&byte, sizeof byte, "nondet_bool");
  return byte != 0;
}

void __VERIFIER_nondet_memory(void *mem, size_t size) { fill(mem, size, "nondet_memory"); }

void __VERIFIER_assume(int condition) { klee_assume(condition != 0); }

void __VERIFIER_error(void) { report_and_abort("__VERIFIER_error was called"); }

__attribute__((weak)) void reach_error(void) { report_and_abort("reach_error was called"); }

/* Where the program starts. */

static int run_harness(int argc, char **argv) {
  if (!LLVMFuzzerTestOneInput)
    end(UNSUPPORTED, "the program has neither main nor LLVMFuzzerTestOneInput");
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  const struct object *data = take("data");
  size_t size = data->length;
  struct object *given = find("size");
  if (given) {
    fill(&size, sizeof size, "size");
    if (size > data->length)
      end(MISFIT, "size is %zu, but data has %zu bytes", size, data->length);
  }
  /* An allocation of just this size, so that a sanitizer sees what goes beyond it. */
  unsigned char *bytes = malloc(size);
  if (size > 0 && !bytes)
    end(UNSUPPORTED, "no memory for %zu bytes of data", size);
  if (size > 0)
    memcpy(bytes, data->bytes, size);
  LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
  return 0;
}

__attribute__((weak)) int main(int argc, char **argv) { return run_harness(argc, argv); }

/* Constructors get the arguments too (glibc). This file is linked last, so the program's own ran. */
__attribute__((constructor)) static void start(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  if (getenv("CAIRN_REPLAY_HIDDEN")) {
    hide_variables();
  } else if (getenv("CAIRN_REPLAY_REPORT")) {
    /* Crashes are expected; their images are not wanted. */
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    /* What was printed before one is, and would be lost in a buffer. */
    setvbuf(stdout, NULL, _IOLBF, 0);
  }
#if defined CAIRN_REPLAY_HARNESS
  exit(run_harness(argc, argv));
#elif defined CAIRN_REPLAY_ENTRY
  extern int CAIRN_REPLAY_ENTRY(int, char **, char **);
  CAIRN_REPLAY_ENTRY(argc, argv, environment);
  exit(0);
#endif
}
