/* Prints what it is told to with the C library. See printf.rs for the form of a request. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static char buffer[1 << 16], format[1 << 10], text[1 << 10];
static wchar_t wide[1 << 10];

static void get(void *to, size_t size)
{
    if (size != 0 && fread(to, size, 1, stdin) != 1)
        exit(0);
}

#define PRINT(...) snprintf(buffer, sizeof buffer, format, __VA_ARGS__)
/* Widths and precisions that come first. */
#define STARS(value) \
    (stars == 0 ? PRINT(value) : stars == 1 ? PRINT(first, value) : PRINT(first, second, value))

int main(void)
{
    for (;;) {
        unsigned char kind, stars;
        int first, second, result = 0;
        unsigned length;
        long integer, count = -1;
        double number;
        static union { long double value; char bytes[16]; } extended;
        get(&kind, 1);
        get(&stars, 1);
        get(&first, 4);
        get(&second, 4);
        get(&integer, 8);
        get(&number, 8);
        get(&extended, 16);
        get(&length, 4);
        get(format, length);
        format[length] = 0;
        get(&length, 4);
        get(text, length);
        text[length] = 0;
        for (unsigned i = 0; i <= length; i++)
            wide[i] = (unsigned char)text[i];
        memset(buffer, 0, sizeof buffer);
        errno = 0;
        switch (kind) {
        case 0: result = STARS(integer); break;
        case 1: result = STARS(number); break;
        case 2: result = STARS(extended.value); break;
        case 3: result = STARS(text); break;
        case 4: result = STARS(wide); break;
        case 5: result = STARS(&count); break;
        case 6: result = STARS((char *)0); break;
        case 7: result = PRINT(integer, number, extended.value, text, first, second, &count); break;
        }
        fwrite(&result, 4, 1, stdout);
        fwrite(&count, 8, 1, stdout);
        length = result < 0 ? 0 : result < sizeof buffer ? result : sizeof buffer - 1;
        fwrite(&length, 4, 1, stdout);
        fwrite(buffer, 1, length, stdout);
    }
}
