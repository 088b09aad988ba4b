// Most of the C language and the common extensions, to be lowered completely.
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };

struct bits {
    unsigned a : 3;
    int b : 7;
    unsigned long c : 40;
    bool d : 1;
};

union number {
    double d;
    uint64_t u;
    float f[2];
    unsigned char bytes[8];
};

struct big {
    long values[9];
    char name[13];
};

struct two_doubles {
    double x, y;
};

struct mixed {
    int i;
    float f;
    double d;
};

typedef int vec4 __attribute__((vector_size(16)));
typedef float fvec8 __attribute__((vector_size(32)));
typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int divide(int a, int b) { return a / b; }
static int modulo(int a, int b) { return a % b; }
static operation operations[] = {add, sub, divide, modulo};
static const char *const color_names[] = {[RED] = "red", [GREEN] = "green", [BLUE] = "blue"};
static _Thread_local int per_thread = 4;
_Atomic int counter;
static struct big table[3] = {{{1, 2, 3}, "one"}, {{4}, "two"}};
static int *pointer_into = (int *)&table[1].values[2];
extern int outside;
__attribute__((weak)) int perhaps(int);
int (*perhaps_pointer)(int) = perhaps;

__attribute__((constructor)) static void before(void) { per_thread++; }
__attribute__((destructor)) static void after(void) { per_thread--; }

struct big by_value(struct big b, struct two_doubles t, struct mixed m) {
    b.values[0] += (long)(t.x + t.y) + m.i + (long)m.f + (long)m.d;
    return b;
}

struct two_doubles pair(double x) {
    struct two_doubles result = {x, -x};
    return result;
}

struct mixed mix(struct mixed m, unsigned char c) {
    m.i ^= c;
    return m;
}

static long total(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    long sum = 0;
    for (int i = 0; i < count; i++) sum += va_arg(list, int);
    sum += (long)va_arg(list, double);
    sum += (long)va_arg(list, long double);
    struct big b = va_arg(list, struct big);
    struct two_doubles t = va_arg(list, struct two_doubles);
    sum += b.values[1] + (long)t.y;
    __int128 w = va_arg(list, __int128);
    sum += (long)(w >> 64);
    sum += va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return sum;
}

static int computed(int n) {
    static const void *const labels[] = {&&zero, &&one, &&many};
    goto *labels[n > 2 ? 2 : n];
zero:
    return 10;
one:
    return 11;
many:
    return 12;
}

static int branches(int n) {
    switch (n) {
    case 0: return 7;
    case 1 ... 9: n += 2; break;
    case -5: return -1;
    case 1000000: return 3;
    default: n *= 3;
    }
    switch (n) {
    case 10: return 1;
    case 11: return 4;
    case 12: return 9;
    case 13: return 16;
    case 14: return 25;
    }
    return n;
}

static uint64_t bit_tricks(uint64_t x, unsigned n) {
    uint64_t r = x << (n & 63) | x >> (-n & 63);
    r ^= (uint64_t)__builtin_popcountll(x) + (uint64_t)__builtin_clzll(x | 1);
    r += (uint64_t)__builtin_ctzll(x | 8) + __builtin_bswap64(x) + __builtin_bswap16((uint16_t)x);
    r += __builtin_bitreverse32((uint32_t)x) + (uint64_t)__builtin_ffsll((long)x);
    r += __builtin_rotateleft32((uint32_t)x, n) + __builtin_parity((unsigned)x);
    return r;
}

static int overflow(int a, int b) {
    int r;
    long l;
    unsigned u;
    if (__builtin_add_overflow(a, b, &r)) return 1;
    if (__builtin_mul_overflow((long)a, (long)b, &l)) return 2;
    if (__builtin_sub_overflow((unsigned)a, (unsigned)b, &u)) return 3;
    return r + (int)l + (int)u;
}

static __int128 wide(__int128 a, unsigned __int128 b) {
    __int128 c = a * (__int128)b + ((__int128)1 << 100);
    if (b) c += a / (__int128)b + (__int128)((unsigned __int128)a % b);
    return c > a ? c : a >> 3;
}

static double floating(double a, float b, long double c, _Float16 h, _Complex double z) {
    double r = sqrt(a) + floor(a) + ceil(a) + trunc(a) + round(a) + rint(a) + fabs(a);
    r += fmin(a, b) + fmax(a, b) + copysign(a, -1) + fma(a, b, a) + nearbyint(a);
    r += (double)c * 3 + (double)(c / 7.0L) + (float)h;
    r += (double)(unsigned long)a + (int)b + (double)(long)c + (signed char)a;
    r += isnan(a) ? 1 : isinf(b) ? 2 : isfinite(c) ? 3 : signbit(a) ? 4 : 5;
    r += __builtin_isnormal(c) + __builtin_fpclassify(1, 2, 3, 4, 5, a);
    r += creal(z) - cimag(z) + (double)lrint(a) + (double)llround(b) + sin(a) * cosf(b);
    r += pow(a, b) + exp(a) + log(fabs(a) + 1) + fmod(a, 3) + __builtin_powi(a, 3);
    r += (a < b) + (a <= b) + (a == b) + (a != b) + !(a > b) + !(a >= b);
    return -r;
}

static int vectors(vec4 a, vec4 b, fvec8 f, int at) {
    vec4 c = a * b + (a > b) - (a ^ ~b);
    c[at & 3] = 9;
    c = __builtin_shufflevector(c, a, 0, 5, 2, 7);
    f = f * 2.0f + __builtin_convertvector(__builtin_shufflevector(c, a, 0, 1, 2, 3, 4, 5, 6, 7), fvec8);
    return c[at & 3] + c[0] + (int)f[3] + __builtin_reduce_add(a) + __builtin_reduce_max(b);
}

static int atomics(_Atomic long *p, int *q) {
    long expected = 3;
    atomic_fetch_add(p, 2);
    atomic_fetch_or(p, 8);
    atomic_exchange(p, 5);
    atomic_compare_exchange_strong(p, &expected, 9);
    atomic_thread_fence(memory_order_seq_cst);
    counter++;
    return __sync_fetch_and_add(q, 1) + __atomic_load_n(q, __ATOMIC_ACQUIRE) +
           __sync_bool_compare_and_swap(q, 4, 5) + (int)atomic_load(p) +
           __atomic_nand_fetch(q, 3, __ATOMIC_RELAXED) + __atomic_fetch_max(q, 3, __ATOMIC_RELAXED);
}

static int dynamic(int n) {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        int array[n + 1];
        char *more = __builtin_alloca((size_t)n + 8);
        memset(array, round, sizeof array);
        memmove(more, array, 4);
        sum += array[n] + more[0];
    }
    return sum;
}

static unsigned checksum(const unsigned char *data, size_t length) {
    unsigned sum = 1, hash = 5381;
    for (size_t i = 0; i < length; i++) {
        sum += data[i];
        hash = hash * 33 ^ data[i];
    }
    return sum ^ hash;
}

static void saxpy(float *restrict y, const float *restrict x, float a, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] > 0) y[i] += a * x[i];
}

static int bit_fields(int n) {
    struct bits b = {(unsigned)n, n, (unsigned long)n << 30, n & 1};
    b.b += 3;
    b.c >>= 2;
    return (int)(b.a + (unsigned)b.b + b.c + b.d);
}

static jmp_buf back;

static int jumps(int n) {
    if (setjmp(back)) return 5;
    if (n > 3) longjmp(back, 1);
    return 6;
}

static int assume(int n) {
    __builtin_assume(n > 0);
    if (__builtin_expect(n == 7, 0)) return 1;
    if (__builtin_constant_p(n)) return 2;
    if (n < 0) __builtin_unreachable();
    asm volatile("" ::: "memory");
    asm volatile("" : "+r"(n));
    return n + (int)__builtin_object_size(&n, 0);
}

static int order(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int main(int argc, char **argv) {
    int numbers[5] = {3, argc, -2, 8, 0};
    qsort(numbers, 5, sizeof numbers[0], order);
    union number number = {.d = argc * 0.5};
    struct big b = by_value(table[argc & 1], pair(argc), mix((struct mixed){argc, 2, 3}, 7));
    long sum = total(3, 1, 2, argc, 2.5, 3.5L, b, pair(2), (__int128)argc << 64);
    sum += operations[argc & 3](argc, 3) + computed(argc) + branches(argc) + overflow(argc, 9);
    sum += (long)bit_tricks(number.u, (unsigned)argc) + (long)wide(argc, 77);
    sum += (long)floating(argc, 2.0f, 3.0L, (_Float16)argc, argc + 2.0 * I);
    sum += vectors((vec4){argc, 2, 3, 4}, (vec4){5, 6, argc, 8}, (fvec8){1, 2, 3}, argc);
    _Atomic long shared = 3;
    sum += atomics(&shared, numbers) + dynamic(argc) + bit_fields(argc) + jumps(argc) + assume(argc);
    sum += checksum((const unsigned char *)argv[0], strlen(argv[0])) + per_thread + *pointer_into;
    float x[40], y[40] = {0};
    for (int i = 0; i < 40; i++) x[i] = (float)(i - argc);
    saxpy(y, x, 1.5f, 40);
    if (perhaps_pointer) sum += perhaps(argc);
    printf("%ld %s %f %c\n", sum, color_names[BLUE], (double)y[7], 'x');
    return argc > 50 ? outside : 0;
}
