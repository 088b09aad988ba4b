/* Runs a program of this folder natively on many inputs and prints one line for each run.
 *
 * Linked to the program, it takes over before main: a child is forked for every choice of inputs,
 * the choices being counted through like the digits of a number (an input asked for later is a
 * later digit, so inputs may depend on the path). The child runs the program; blocks call
 * __sanitizer_cov_trace_pc, and the hash of their sequence is the path. A line is
 *
 *     HASH OUTCOME PLACE NAME=HEX ...
 *
 * where HEX is the input's bytes, lowest address last, OUTCOME is `completed`, `pruned`, `time`,
 * or a kind of finding, and PLACE is `-`, `line:N`, or code addresses `a,b,c` of which the first
 * inside of the program counts.
 *
 * NATIVE_DOMAINS says what an input may be: `NAME=v1,v2,...;...`, with `[v1,...]` for "each byte
 * one of these"; `*N` is for every other input of N bytes. One byte is 0 to 255 if nothing is said.
 */
#define _GNU_SOURCE
#include "include/klee/klee.h"
#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { DIGITS = 64, INPUTS = 64, FRAMES = 8, LARGEST_INPUT = 64 };

/* What the child tells its parent; the digits are the parent's. */
struct shared {
  unsigned digit[DIGITS], size[DIGITS], digits;
  struct {
    char name[32];
    unsigned length;
    unsigned char bytes[LARGEST_INPUT];
  } input[INPUTS];
  unsigned inputs;
  uint64_t hash;
  char outcome[24];
  unsigned line, frames;
  uintptr_t frame[FRAMES];
};
static struct shared *run;
static int look_for_leaks, told_of_objects;

static _Noreturn void end_run(const char *outcome) {
  snprintf(run->outcome, sizeof run->outcome, "%s", outcome);
  _exit(0);
}

static _Noreturn void end_at(const char *outcome, void *caller) {
  run->frames = 1;
  run->frame[0] = (uintptr_t)caller - 1;
  end_run(outcome);
}

/* ---- the path ---- */

static void mix(uint64_t value) {
  run->hash = (run->hash ^ value) * 0x9e3779b97f4a7c15u;
  run->hash ^= run->hash >> 29;
}

void __sanitizer_cov_trace_pc(void) {
  if (run)
    mix((uintptr_t)__builtin_return_address(0));
}

/* Each global has poisoned bytes behind it. This file is linked first, so that the program's first
 * globals have some before them, too: written, zero and constant ones. */
__attribute__((used)) static char guard_of_data[8] = {1}, guard_of_zeros[8];
__attribute__((used)) static const char guard_of_constants[8] = {1};

/* The first byte of the object at an address: before it are bytes that are poisoned. Objects of
 * these programs are small, so the way back is short. */
static uintptr_t first_byte(const void *address) {
  uintptr_t first = (uintptr_t)address;
  for (int i = 0; i < 256 && !__asan_address_is_poisoned((void *)(first - 1)); i++)
    first--;
  return first;
}

/* The object that an access reaches is part of the path, too, if the program's header says so. */
static void touch(const void *address, void *caller) {
  if (!run || !told_of_objects)
    return;
  mix((uintptr_t)caller);
  mix(first_byte(address));
}
void __sanitizer_free_hook(const volatile void *pointer) {
  if (run && told_of_objects)
    mix((uintptr_t)pointer);
}
#define TOUCH(kind, bytes)                                                                         \
  void __sanitizer_cov_##kind##bytes(const void *address) {                                        \
    touch(address, __builtin_return_address(0));                                                   \
  }
TOUCH(load, 1) TOUCH(load, 2) TOUCH(load, 4) TOUCH(load, 8) TOUCH(load, 16)
TOUCH(store, 1) TOUCH(store, 2) TOUCH(store, 4) TOUCH(store, 8) TOUCH(store, 16)

/* ---- inputs ---- */

static unsigned choose(unsigned size) {
  if (run->digits == DIGITS)
    end_run("too-many-digits");
  unsigned at = run->digits++;
  run->size[at] = size;
  return run->digit[at];
}

/* The text of the domain that a key has, or null. */
static const char *domain_of(const char *key) {
  size_t length = strlen(key);
  for (const char *at = getenv("NATIVE_DOMAINS"); at && *at; at = strchr(at, ';')) {
    at += *at == ';';
    if (!strncmp(at, key, length) && at[length] == '=')
      return at + length + 1;
  }
  return 0;
}

/* Values of a domain up to its end, those of [low, high] only. */
static unsigned values_of(const char *text, __int128 low, __int128 high, __int128 *out, unsigned room) {
  unsigned count = 0;
  while (*text && *text != ';' && *text != ']') {
    char *end;
    int negative = *text == '-';
    __int128 value = strtoull(text + negative, &end, 0);
    if (negative)
      value = -value;
    if (value >= low && value <= high && count < room)
      out[count++] = value;
    text = end + (*end == ',');
  }
  return count;
}

static void record(const char *name, const void *bytes, size_t size) {
  if (run->inputs == INPUTS || size > LARGEST_INPUT)
    end_run("too-many-inputs");
  unsigned at = run->inputs++;
  snprintf(run->input[at].name, sizeof run->input[at].name, "%s", name);
  run->input[at].length = size;
  memcpy(run->input[at].bytes, bytes, size);
}

/* Draws a value of at most 16 bytes. */
static __int128 draw(const char *name, size_t size, __int128 low, __int128 high) {
  __int128 values[1024];
  const char *text = domain_of(name);
  unsigned count = 0;
  if (!text && high - low < 1024) {
    for (__int128 v = low; v <= high; v++)
      values[count++] = v;
  } else {
    char by_size[16];
    snprintf(by_size, sizeof by_size, "*%zu", size);
    if (!text)
      text = domain_of(by_size);
    if (text)
      count = values_of(text, low, high, values, 1024);
  }
  if (!count)
    end_run("no-domain");
  __int128 value = values[choose(count)];
  record(name, &value, size);
  return value;
}

void klee_make_symbolic(void *address, size_t size, const char *name) {
  unsigned char *bytes = address;
  const char *text = domain_of(name);
  __int128 low = -((__int128)1 << 100), high = (__int128)1 << 100;
  if (text && *text == '[') {
    for (size_t i = 0; i < size; i++) {
      __int128 values[256];
      unsigned count = values_of(text + 1, low, high, values, 256);
      bytes[i] = values[choose(count)];
    }
    record(name, address, size);
  } else {
    __int128 value = size == 1 ? draw(name, 1, 0, 255) : draw(name, size, low, high);
    memset(address, 0, size);
    memcpy(address, &value, size < 16 ? size : 16);
  }
}
int klee_int(const char *name) {
  int value;
  klee_make_symbolic(&value, sizeof value, name);
  return value;
}
int klee_range(int begin, int end, const char *name) { return draw(name, 4, begin, end - 1); }
uintptr_t klee_choose(uintptr_t count) { return draw("klee_choose", 8, 0, count - 1); }

#define NONDET(type, suffix, low, high)                                                            \
  type __VERIFIER_nondet_##suffix(void) {                                                          \
    return (type)draw(#suffix, sizeof(type), low, high);                                           \
  }
#define WIDE ((__int128)1 << 100)
NONDET(_Bool, bool, 0, 1)
NONDET(char, char, -128, 127)
NONDET(unsigned char, uchar, 0, 255)
NONDET(short, short, -32768, 32767)
NONDET(unsigned short, ushort, 0, 65535)
NONDET(int, int, -WIDE, WIDE)
NONDET(unsigned, uint, 0, 0xffffffffu)
NONDET(unsigned, u32, 0, 0xffffffffu)
NONDET(unsigned, unsigned, 0, 0xffffffffu)
NONDET(long, long, -WIDE, WIDE)
NONDET(unsigned long, ulong, 0, WIDE)
NONDET(long long, longlong, -WIDE, WIDE)
NONDET(unsigned long long, ulonglong, 0, WIDE)
NONDET(size_t, size_t, 0, WIDE)
NONDET(long, loff_t, -WIDE, WIDE)
NONDET(__int128, int128, -WIDE, WIDE)
NONDET(unsigned __int128, uint128, 0, WIDE)
void *__VERIFIER_nondet_pointer(void) { return (void *)(uintptr_t)draw("pointer", 8, 0, WIDE); }

void klee_assume(uintptr_t condition) {
  if (!condition)
    end_run("pruned");
}
void __VERIFIER_assume(int condition) { klee_assume(condition != 0); }

/* ---- what ends a run ---- */

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
  (void)condition, (void)file, (void)function;
  run->line = line;
  end_run("assert");
}
void abort(void) { end_at("abort", __builtin_return_address(0)); }
void klee_abort(void) { end_at("abort", __builtin_return_address(0)); }
void __VERIFIER_error(void) { end_at("assert", __builtin_return_address(0)); }
void reach_error(void) { end_at("assert", __builtin_return_address(0)); }
void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  (void)file, (void)message, (void)suffix;
  run->line = line;
  end_run("user");
}
void klee_silent_exit(int status) {
  (void)status;
  end_run("completed");
}
void klee_check_memory_access(const void *address, size_t size) {
  if (__asan_region_is_poisoned((void *)address, size))
    end_at("ptr", __builtin_return_address(0));
}
static void at_end(void) {
  if (look_for_leaks && __lsan_do_recoverable_leak_check())
    end_run("leak");
  end_run("completed");
}

/* The sanitiser's report: what it is called there, and what we call it. */
static void reported(const char *text) {
  static const char *const kinds[][2] = {
      {"attempting double-free", "free"}, {"attempting free on", "free"},
      {"stack-overflow", "stack"},        {"AddressSanitizer: FPE", "overflow"},
      {"zero page", "ptr"},
  };
  const char *kind = "ptr";
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(text, kinds[i][0])) {
      kind = kinds[i][1];
      break;
    }
  if (strstr(text, "LeakSanitizer"))
    return;
  // A write fails where memory is not writable, or where there is none.
  const char *address = strstr(text, "SEGV on unknown address ");
  if (address && strstr(text, "caused by a WRITE")) {
    uintptr_t at = strtoull(strstr(address, "0x"), 0, 16);
    int readable = syscall(SYS_access, at, F_OK) == 0 || errno != EFAULT;
    if (readable)
      kind = "readonly";
  }
  for (const char *at = strstr(text, " #0 "); at && run->frames < FRAMES; at = strstr(at + 1, " #")) {
    const char *address = strstr(at, "0x");
    if (!address)
      break;
    run->frame[run->frames] = strtoull(address, 0, 16) - (run->frames > 0);
    run->frames++;
  }
  end_run(kind);
}

/* A check of the undefined-behaviour sanitiser: `ud1l KIND(%eax), %eax`, where a
 * kind of 0 takes no byte. */
static void trapped(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  uintptr_t pc = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  const unsigned char *code = (const unsigned char *)pc;
  const char *kind = "trap";
  if (code[0] == 0x67 && code[1] == 0x0f && code[2] == 0xb9)
    switch (code[3] == 0x40 ? code[4] : 0) {
    case 0: case 12: case 13: case 21: kind = "overflow"; break;
    case 1: case 6: kind = "exec"; break;
    case 3: kind = "div"; break;
    case 20: kind = "overshift"; break;
    }
  end_at(kind, (void *)(pc + 1));
}
static void timed_out(int signal) {
  (void)signal;
  end_run("time");
}

/* ---- the rest of klee.h ---- */

void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
unsigned klee_is_replay(void) { return 0; }
void klee_warning(const char *message) { (void)message; }
void klee_warning_once(const char *message) { (void)message; }
void klee_print_expr(const char *message, ...) { (void)message; }
void klee_print_range(const char *name, int value) { (void)name, (void)value; }
size_t klee_get_obj_size(void *pointer) {
  uintptr_t first = first_byte(pointer);
  size_t size = 0;
  while (!__asan_address_is_poisoned((void *)(first + size)))
    size++;
  return size;
}
void klee_define_fixed_object(void *address, size_t size) {
  mmap((void *)((uintptr_t)address & ~4095ul), size + 4096, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
void klee_mark_global(void *object) { (void)object; }
void klee_open_merge(void) {}
void klee_close_merge(void) {}
void klee_stack_trace(void) {}
int klee_get_errno(void) { return errno; }

/* ---- the runs ---- */

/* A fuzzing entry has no main: data of up to four bytes. */
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int main(void) {
  size_t size = draw("size", 8, 0, 4);
  uint8_t *data = malloc(size);
  klee_make_symbolic(data, size, "data");
  return LLVMFuzzerTestOneInput(data, size);
}

static void print_run(FILE *out) {
  fprintf(out, "%016llx %s ", (unsigned long long)run->hash, run->outcome);
  if (run->line)
    fprintf(out, "line:%u", run->line);
  else if (run->frames)
    for (unsigned i = 0; i < run->frames; i++)
      fprintf(out, "%s%#lx", i ? "," : "", (unsigned long)run->frame[i]);
  else
    fputs("-", out);
  for (unsigned i = 0; i < run->inputs; i++) {
    fprintf(out, " %s=", run->input[i].name);
    for (unsigned b = run->input[i].length; b-- > 0;)
      fprintf(out, "%02x", run->input[i].bytes[b]);
  }
  fputc('\n', out);
}

/* The next choice: the last digit that can grow does. Whether there is one. */
static int advance(void) {
  unsigned at = run->digits;
  while (at > 0 && run->digit[at - 1] + 1 >= run->size[at - 1])
    at--;
  if (!at)
    return 0;
  run->digit[at - 1]++;
  memset(run->digit + at, 0, (DIGITS - at) * sizeof *run->digit);
  return 1;
}

__attribute__((constructor(101))) static void take_over(void) {
  look_for_leaks = getenv("NATIVE_LEAKS") != 0;
  told_of_objects = getenv("NATIVE_OBJECTS") != 0;
  run = mmap(0, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct sigaction trap = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &trap, 0);
  signal(SIGALRM, timed_out);
  __asan_set_error_report_callback(reported);
  int results = dup(1);
  FILE *out = fdopen(results, "w");
  freopen("/dev/null", "w", stdout);
  freopen("/dev/null", "w", stderr);
  do {
    run->digits = run->inputs = run->line = run->frames = 0;
    run->hash = 0;
    strcpy(run->outcome, "vanished");
    pid_t child = fork();
    if (child == 0) {
      atexit(at_end);
      alarm(10);
      return;
    }
    int status;
    waitpid(child, &status, 0);
    print_run(out);
  } while (advance());
  fclose(out);
  _exit(0);
}
