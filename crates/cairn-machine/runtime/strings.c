/*
 * Functions of the C library as code.
 *
 * The natives (src/natives) answer at once, but only if they know every byte they look
 * at. This code does the same byte by byte, so that it also runs on bytes that are terms: each
 * decision is a branch of the program form. Results are the same, down to the values of the
 * character classes, which are the GNU library's bits.
 *
 * There is no header but the compiler's own, nothing undefined is relied on (the code is compiled
 * with -fwrapv), and the only functions called are malloc, free and __errno_location. Elements and
 * copies of unknown content go through the compiler's memcpy, which is an instruction of the
 * machine and keeps what is known about pointers.
 *
 * Variables stand outside of the loops that return: what the compiler makes of them otherwise has
 * values that are arbitrary until they are written.
 *
 * What is not a function of the C library is called cairn_..., so that no name means two things.
 *
 * make.sh compiles this file to strings.cir, which is checked in.
 */

#include <limits.h>
#include <stddef.h>

typedef unsigned char byte;
typedef int comparison(const void *, const void *);

void *malloc(size_t);
void free(void *);
int *__errno_location(void);

enum { INVALID = 22, OUT_OF_RANGE = 34 };

/* Characters. */

static int cairn_between(int c, int low, int high) { return (c >= low) & (c <= high); }

static int cairn_is_digit(int c) { return cairn_between(c, '0', '9'); }
static int cairn_is_upper(int c) { return cairn_between(c, 'A', 'Z'); }
static int cairn_is_lower(int c) { return cairn_between(c, 'a', 'z'); }
static int cairn_is_letter(int c) { return cairn_between(c | 32, 'a', 'z'); }
static int cairn_is_space(int c) { return (c == ' ') | cairn_between(c, '\t', '\r'); }
static int cairn_is_graphic(int c) { return cairn_between(c, '!', '~'); }

int isupper(int c) { return cairn_is_upper(c) << 8; }
int islower(int c) { return cairn_is_lower(c) << 9; }
int isalpha(int c) { return cairn_is_letter(c) << 10; }
int isdigit(int c) { return cairn_is_digit(c) << 11; }
int isxdigit(int c) { return (cairn_is_digit(c) | cairn_between(c | 32, 'a', 'f')) << 12; }
int isspace(int c) { return cairn_is_space(c) << 13; }
int isprint(int c) { return cairn_between(c, ' ', '~') << 14; }
int isgraph(int c) { return cairn_is_graphic(c) << 15; }
int isblank(int c) { return (c == ' ') | (c == '\t'); }
int iscntrl(int c) { return (cairn_between(c, 0, 31) | (c == 127)) << 1; }
int ispunct(int c) { return (cairn_is_graphic(c) & !(cairn_is_letter(c) | cairn_is_digit(c))) << 2; }
int isalnum(int c) { return (cairn_is_letter(c) | cairn_is_digit(c)) << 3; }
int toupper(int c) { return c - 32 * cairn_is_lower(c); }
int tolower(int c) { return c + 32 * cairn_is_upper(c); }

/* Memory. */

int memcmp(const void *left, const void *right, size_t length) {
    const byte *a = left, *b = right;
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}

int bcmp(const void *left, const void *right, size_t length) { return memcmp(left, right, length); }

void *memchr(const void *memory, int wanted, size_t length) {
    const byte *at = memory;
    for (size_t i = 0; i < length; i++)
        if (at[i] == (byte)wanted) return (void *)(at + i);
    return NULL;
}

void *memrchr(const void *memory, int wanted, size_t length) {
    const byte *at = memory;
    while (length > 0)
        if (at[--length] == (byte)wanted) return (void *)(at + length);
    return NULL;
}

/* Lengths, copies. */

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

size_t strnlen(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length]) length++;
    return length;
}

char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) to++, from++;
    return to;
}

char *strcpy(char *to, const char *from) {
    stpcpy(to, from);
    return to;
}

char *strncpy(char *to, const char *from, size_t size) {
    size_t i = 0;
    for (; i < size && from[i]; i++) to[i] = from[i];
    for (; i < size; i++) to[i] = 0;
    return to;
}

char *strcat(char *to, const char *from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t most) {
    char *end = to + strlen(to);
    while (most-- > 0 && *from) *end++ = *from++;
    *end = 0;
    return to;
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
    (void)room;
    return strcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t size, size_t room) {
    (void)room;
    return strncpy(to, from, size);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
    (void)room;
    return strcat(to, from);
}

static char *cairn_duplicate(const char *text, size_t length) {
    char *new = malloc(length + 1);
    if (!new) return NULL;
    __builtin_memcpy(new, text, length);
    new[length] = 0;
    return new;
}

char *strdup(const char *text) { return cairn_duplicate(text, strlen(text)); }

char *strndup(const char *text, size_t most) { return cairn_duplicate(text, strnlen(text, most)); }

/* Comparisons. */

int strcmp(const char *left, const char *right) {
    const byte *a = (const byte *)left, *b = (const byte *)right;
    while (*a == *b && *a) a++, b++;
    return *a - *b;
}

int strncmp(const char *left, const char *right, size_t most) {
    const byte *a = (const byte *)left, *b = (const byte *)right;
    for (; most > 0; a++, b++, most--)
        if (*a != *b || !*a) return *a - *b;
    return 0;
}

int strncasecmp(const char *left, const char *right, size_t most) {
    const byte *a = (const byte *)left, *b = (const byte *)right;
    for (; most > 0; a++, b++, most--)
        if (tolower(*a) != tolower(*b) || !*a) return tolower(*a) - tolower(*b);
    return 0;
}

int strcasecmp(const char *left, const char *right) { return strncasecmp(left, right, (size_t)-1); }

/* Searches. */

char *strchrnul(const char *text, int wanted) {
    while (*text && *text != (char)wanted) text++;
    return (char *)text;
}

char *strchr(const char *text, int wanted) {
    char *found = strchrnul(text, wanted);
    return *found == (char)wanted ? found : NULL;
}

char *strrchr(const char *text, int wanted) {
    const char *found = NULL;
    for (;; text++) {
        if (*text == (char)wanted) found = text;
        if (!*text) return (char *)found;
    }
}

char *strstr(const char *text, const char *wanted) {
    size_t i;
    for (;; text++) {
        i = 0;
        while (wanted[i] && text[i] == wanted[i]) i++;
        if (!wanted[i]) return (char *)text;
        if (!text[i]) return NULL;
    }
}

static int cairn_contains(const char *set, char c) {
    for (; *set; set++)
        if (*set == c) return 1;
    return 0;
}

size_t strspn(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] && cairn_contains(set, text[length])) length++;
    return length;
}

size_t strcspn(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] && !cairn_contains(set, text[length])) length++;
    return length;
}

char *strpbrk(const char *text, const char *set) {
    const char *found = text + strcspn(text, set);
    return *found ? (char *)found : NULL;
}

char *strtok_r(char *text, const char *set, char **rest) {
    char *start = text ? text : *rest;
    start += strspn(start, set);
    char *end = start + strcspn(start, set);
    if (start == end) {
        *rest = end;
        return NULL;
    }
    if (*end) *end++ = 0;
    *rest = end;
    return start;
}

char *strtok(char *text, const char *set) {
    static char *rest;
    return strtok_r(text, set, &rest);
}

/* Numbers. */

int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }

/* The value of a digit; at least 36 for what is none. */
static unsigned cairn_digit(char c) {
    if (cairn_is_digit(c)) return c - '0';
    if (cairn_is_letter(c)) return (c | 32) - 'a' + 10;
    return UINT_MAX;
}

/* A number that a string starts with. */
struct number {
    int negative;
    int overflow;
    unsigned long magnitude;
};

/* Reads a number; whether the base is one. With `binary`, 0b is a prefix as 0x is. */
static int cairn_read(const char *text, char **end, int base, int binary, struct number *number) {
    const char *at = text;
    number->negative = 0;
    number->overflow = 0;
    number->magnitude = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = INVALID;
        return 0;
    }
    while (cairn_is_space(*at)) at++;
    if (*at == '-' || *at == '+') number->negative = *at++ == '-';
    if (*at == '0') {
        char letter = at[1] | 32;
        if ((base == 0 || base == 16) && letter == 'x' && cairn_digit(at[2]) < 16) {
            base = 16;
            at += 2;
        } else if (binary && (base == 0 || base == 2) && letter == 'b' && cairn_digit(at[2]) < 2) {
            base = 2;
            at += 2;
        } else if (base == 0) {
            base = 8;
        }
    } else if (base == 0) {
        base = 10;
    }
    /* The base is known where this matters, so that nothing divides by a term. */
    unsigned long most = ULONG_MAX / base, last = ULONG_MAX % base;
    const char *first = at;
    for (;; at++) {
        unsigned value = cairn_digit(*at);
        if (value >= (unsigned)base) break;
        if (number->magnitude > most || (number->magnitude == most && value > last))
            number->overflow = 1;
        number->magnitude = number->magnitude * base + value;
    }
    if (end) *end = (char *)(at == first ? text : at);
    return 1;
}

static long cairn_signed(const char *text, char **end, int base, int binary) {
    struct number n;
    if (!cairn_read(text, end, base, binary, &n)) return 0;
    if (n.overflow || n.magnitude > (unsigned long)LONG_MAX + n.negative) {
        *__errno_location() = OUT_OF_RANGE;
        return n.negative ? LONG_MIN : LONG_MAX;
    }
    return n.negative ? -n.magnitude : n.magnitude;
}

static unsigned long cairn_unsigned(const char *text, char **end, int base, int binary) {
    struct number n;
    if (!cairn_read(text, end, base, binary, &n)) return 0;
    if (n.overflow) {
        *__errno_location() = OUT_OF_RANGE;
        return ULONG_MAX;
    }
    return n.negative ? -n.magnitude : n.magnitude;
}

#define SIGNED(name, type, binary) \
    type name(const char *text, char **end, int base) { return cairn_signed(text, end, base, binary); }
#define UNSIGNED(name, type, binary) \
    type name(const char *text, char **end, int base) { return cairn_unsigned(text, end, base, binary); }

SIGNED(strtol, long, 0)
SIGNED(strtoll, long long, 0)
UNSIGNED(strtoul, unsigned long, 0)
UNSIGNED(strtoull, unsigned long long, 0)
SIGNED(__isoc23_strtol, long, 1)
SIGNED(__isoc23_strtoll, long long, 1)
UNSIGNED(__isoc23_strtoul, unsigned long, 1)
UNSIGNED(__isoc23_strtoull, unsigned long long, 1)

int atoi(const char *text) { return strtol(text, NULL, 10); }
long atol(const char *text) { return strtol(text, NULL, 10); }
long long atoll(const char *text) { return strtol(text, NULL, 10); }

/* Order. */

/* Merges two sorted halves of an array; equal elements keep their order. */
static void cairn_merge(byte *to, const byte *from, size_t middle, size_t end, size_t size, comparison *compare) {
    const byte *a = from, *b = from + middle;
    const byte *a_end = b, *b_end = from + end;
    for (; a < a_end && b < b_end; to += size) {
        if (compare(a, b) <= 0) {
            __builtin_memcpy(to, a, size);
            a += size;
        } else {
            __builtin_memcpy(to, b, size);
            b += size;
        }
    }
    __builtin_memcpy(to, a, a_end - a);
    __builtin_memcpy(to + (a_end - a), b, b_end - b);
}

/* Sorts in place by moving each element down to where it belongs. */
static void cairn_insert_all(byte *array, size_t length, size_t size, comparison *compare) {
    byte spare[size];
    for (size_t done = size; done < length; done += size) {
        size_t at = done;
        while (at > 0 && compare(array + at - size, array + done) > 0) at -= size;
        if (at == done) continue;
        __builtin_memcpy(spare, array + done, size);
        __builtin_memmove(array + at + size, array + at, done - at);
        __builtin_memcpy(array + at, spare, size);
    }
}

/* Stable, by merging from pairs upwards; by insertion if there is no memory for a second array. */
void qsort(void *array, size_t count, size_t size, comparison *compare) {
    if (count < 2 || size == 0) return;
    size_t length = count * size;
    byte *here = array, *there = malloc(length);
    if (!there) {
        cairn_insert_all(here, length, size, compare);
        return;
    }
    byte *other = there;
    for (size_t run = size; run < length; run *= 2) {
        for (size_t start = 0; start < length; start += 2 * run) {
            size_t rest = length - start;
            size_t middle = run < rest ? run : rest;
            size_t end = 2 * run < rest ? 2 * run : rest;
            cairn_merge(other + start, here + start, middle, end, size, compare);
        }
        byte *sorted = other;
        other = here;
        here = sorted;
    }
    if (here != array) __builtin_memcpy(array, here, length);
    free(there);
}

void *bsearch(const void *key, const void *array, size_t count, size_t size, comparison *compare) {
    const byte *first = array, *middle;
    int order;
    while (count > 0) {
        middle = first + count / 2 * size;
        order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            first = middle + size;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return NULL;
}
