/* cairn/cairn.h: all that a program can say to Cairn: the functions of klee/klee.h, those of the
 * software verification competition, and the entry of fuzzing harnesses. */

#ifndef CAIRN_H
#define CAIRN_H

#include <klee/klee.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#define CAIRN_BOOL bool
#else
#define CAIRN_BOOL _Bool
#endif

/* A symbolic value of a type. In a test the object is called nondet_X. */
CAIRN_BOOL __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned __VERIFIER_nondet_unsigned(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
uint8_t __VERIFIER_nondet_u8(void);
uint16_t __VERIFIER_nondet_u16(void);
uint32_t __VERIFIER_nondet_u32(void);
uint64_t __VERIFIER_nondet_u64(void);
size_t __VERIFIER_nondet_size_t(void);
unsigned long __VERIFIER_nondet_sector_t(void);
off_t __VERIFIER_nondet_loff_t(void);
unsigned long __VERIFIER_nondet_pthread_t(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);
char *__VERIFIER_nondet_pchar(void);
#ifdef __SIZEOF_INT128__
__extension__ __int128 __VERIFIER_nondet_int128(void);
__extension__ unsigned __int128 __VERIFIER_nondet_uint128(void);
#endif
/* Makes size bytes at mem symbolic; the object is called nondet_memory. */
void __VERIFIER_nondet_memory(void *mem, size_t size);

/* Goes on only with inputs that make the condition true. */
void __VERIFIER_assume(int condition);
/* An error. A program may define its own reach_error. */
void __VERIFIER_error(void);
void reach_error(void);

/* A harness for fuzzers is explored as it is: its bytes are the object data, their number size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#undef CAIRN_BOOL
#ifdef __cplusplus
}
#endif

#endif
