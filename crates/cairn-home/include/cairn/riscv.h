/* cairn/riscv.h: what a RISC-V executable needs in order to be linked. Cairn knows the functions of
 * klee/klee.h by their symbols and never runs their code; this header defines them, weak and empty, so
 * that a program may define its own. Include it in one C source of the program:
 *
 *   clang --target=riscv64-unknown-elf -nostdlib -static -DCAIRN_START -include cairn/riscv.h prog.c
 *
 * With CAIRN_START there is also what a program without a C library lacks: a start that calls main
 * and exits with its result, abort, and the four functions that compilers call by themselves. */

#ifndef CAIRN_RISCV_H
#define CAIRN_RISCV_H

#ifndef __riscv
#error "cairn/riscv.h is for RISC-V: compile with --target=riscv64-unknown-elf or a cross compiler"
#endif

typedef __SIZE_TYPE__ cairn_size;

/* A weak function is never inlined: the call stays, and with it the arguments. */
#define CAIRN_EMPTY __attribute__((weak, noinline, used))

CAIRN_EMPTY void klee_make_symbolic(void *addr, cairn_size nbytes, const char *name) {}
CAIRN_EMPTY int klee_range(int begin, int end, const char *name) { return begin; }
CAIRN_EMPTY int klee_int(const char *name) { return 0; }
CAIRN_EMPTY __UINTPTR_TYPE__ klee_choose(__UINTPTR_TYPE__ n) { return 0; }
CAIRN_EMPTY void klee_assume(__UINTPTR_TYPE__ condition) {}
CAIRN_EMPTY void klee_prefer_cex(void *object, __UINTPTR_TYPE__ condition) {}
CAIRN_EMPTY void klee_posix_prefer_cex(void *object, __UINTPTR_TYPE__ condition) {}
CAIRN_EMPTY __attribute__((noreturn)) void klee_silent_exit(int status) { for (;;) __asm__ volatile("ebreak"); }
CAIRN_EMPTY __attribute__((noreturn)) void klee_abort(void) { for (;;) __asm__ volatile("ebreak"); }
CAIRN_EMPTY __attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message,
                                                             const char *suffix) {
  for (;;) __asm__ volatile("ebreak");
}
CAIRN_EMPTY unsigned klee_is_symbolic(__UINTPTR_TYPE__ n) { return 0; }
CAIRN_EMPTY unsigned klee_is_replay(void) { return 0; }
CAIRN_EMPTY cairn_size klee_get_obj_size(void *ptr) { return 0; }
/* This one runs as it is: errno belongs to the program's C library, if there is one. */
__attribute__((weak)) int *__errno_location(void);
CAIRN_EMPTY int klee_get_errno(void) { return __errno_location ? *__errno_location() : 0; }
CAIRN_EMPTY float klee_get_valuef(float expr) { return expr; }
CAIRN_EMPTY double klee_get_valued(double expr) { return expr; }
CAIRN_EMPTY long klee_get_valuel(long expr) { return expr; }
CAIRN_EMPTY long long klee_get_valuell(long long expr) { return expr; }
CAIRN_EMPTY __INT32_TYPE__ klee_get_value_i32(__INT32_TYPE__ expr) { return expr; }
CAIRN_EMPTY __INT64_TYPE__ klee_get_value_i64(__INT64_TYPE__ expr) { return expr; }
CAIRN_EMPTY void klee_check_memory_access(const void *address, cairn_size size) {}
CAIRN_EMPTY void klee_define_fixed_object(void *addr, cairn_size nbytes) {}
CAIRN_EMPTY void klee_mark_global(void *object) {}
CAIRN_EMPTY void klee_set_forking(unsigned enable) {}
CAIRN_EMPTY void klee_open_merge(void) {}
CAIRN_EMPTY void klee_close_merge(void) {}
CAIRN_EMPTY void klee_warning(const char *message) {}
CAIRN_EMPTY void klee_warning_once(const char *message) {}
CAIRN_EMPTY void klee_print_expr(const char *msg, ...) {}
CAIRN_EMPTY void klee_print_range(const char *name, int arg) {}
CAIRN_EMPTY void klee_stack_trace(void) {}

CAIRN_EMPTY _Bool __VERIFIER_nondet_bool(void) { return 0; }
CAIRN_EMPTY char __VERIFIER_nondet_char(void) { return 0; }
CAIRN_EMPTY signed char __VERIFIER_nondet_schar(void) { return 0; }
CAIRN_EMPTY unsigned char __VERIFIER_nondet_uchar(void) { return 0; }
CAIRN_EMPTY short __VERIFIER_nondet_short(void) { return 0; }
CAIRN_EMPTY unsigned short __VERIFIER_nondet_ushort(void) { return 0; }
CAIRN_EMPTY int __VERIFIER_nondet_int(void) { return 0; }
CAIRN_EMPTY unsigned __VERIFIER_nondet_uint(void) { return 0; }
CAIRN_EMPTY unsigned __VERIFIER_nondet_unsigned(void) { return 0; }
CAIRN_EMPTY long __VERIFIER_nondet_long(void) { return 0; }
CAIRN_EMPTY unsigned long __VERIFIER_nondet_ulong(void) { return 0; }
CAIRN_EMPTY long long __VERIFIER_nondet_longlong(void) { return 0; }
CAIRN_EMPTY unsigned long long __VERIFIER_nondet_ulonglong(void) { return 0; }
CAIRN_EMPTY __UINT8_TYPE__ __VERIFIER_nondet_u8(void) { return 0; }
CAIRN_EMPTY __UINT16_TYPE__ __VERIFIER_nondet_u16(void) { return 0; }
CAIRN_EMPTY __UINT32_TYPE__ __VERIFIER_nondet_u32(void) { return 0; }
CAIRN_EMPTY __UINT64_TYPE__ __VERIFIER_nondet_u64(void) { return 0; }
CAIRN_EMPTY cairn_size __VERIFIER_nondet_size_t(void) { return 0; }
CAIRN_EMPTY unsigned long __VERIFIER_nondet_sector_t(void) { return 0; }
CAIRN_EMPTY long __VERIFIER_nondet_loff_t(void) { return 0; }
CAIRN_EMPTY unsigned long __VERIFIER_nondet_pthread_t(void) { return 0; }
CAIRN_EMPTY float __VERIFIER_nondet_float(void) { return 0; }
CAIRN_EMPTY double __VERIFIER_nondet_double(void) { return 0; }
CAIRN_EMPTY char *__VERIFIER_nondet_pchar(void) { return 0; }
__extension__ CAIRN_EMPTY __int128 __VERIFIER_nondet_int128(void) { return 0; }
__extension__ CAIRN_EMPTY unsigned __int128 __VERIFIER_nondet_uint128(void) { return 0; }
CAIRN_EMPTY void *__VERIFIER_nondet_pointer(void) { return 0; }
CAIRN_EMPTY void __VERIFIER_nondet_memory(void *mem, cairn_size size) {}
CAIRN_EMPTY void __VERIFIER_assume(int condition) {}
CAIRN_EMPTY void __VERIFIER_error(void) {}
/* An empty one is an error where it is called; one that a program defines runs as it is. */
CAIRN_EMPTY void reach_error(void) {}

/* Selfie's: *x is lo, lo + step, and so on, at most hi. */
CAIRN_EMPTY void interval(cairn_size *x, cairn_size lo, cairn_size hi, cairn_size step) {}

#ifdef CAIRN_START

int main();

static long cairn_system_call(long number, long a, long b, long c) {
  register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}

CAIRN_EMPTY __attribute__((noreturn)) void abort(void) { for (;;) __asm__ volatile("ebreak"); }

CAIRN_EMPTY void *memcpy(void *to, const void *from, cairn_size count) {
  for (cairn_size i = 0; i < count; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
CAIRN_EMPTY void *memmove(void *to, const void *from, cairn_size count) {
  if ((cairn_size)to <= (cairn_size)from) return memcpy(to, from, count);
  while (count--) ((volatile char *)to)[count] = ((const char *)from)[count];
  return to;
}
CAIRN_EMPTY void *memset(void *at, int byte, cairn_size count) {
  for (cairn_size i = 0; i < count; i++) ((volatile char *)at)[i] = byte;
  return at;
}
CAIRN_EMPTY int memcmp(const void *left, const void *right, cairn_size count) {
  const unsigned char *a = left, *b = right;
  for (cairn_size i = 0; i < count; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

CAIRN_EMPTY void cairn_begin(long *stack) {
  long count = stack[0];
  char **words = (char **)(stack + 1);
  long code = main(count, words, words + count + 1);
  for (;;) cairn_system_call(93, code, 0, 0);
}

__attribute__((weak, naked, used)) void _start(void) { __asm__("mv a0, sp\n call cairn_begin"); }

#endif

#endif
