/* Computes what the compiler's libraries compute. Each request is a code and three operands of
   sixteen bytes; each answer has sixteen bytes. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef _Float128 quad;
typedef __int128 i128;
typedef unsigned __int128 u128;

union value {
    unsigned char bytes[16];
    quad q;
    long double x;
    double d;
    float s;
    _Float16 h;
    int i32;
    unsigned u32;
    long i64;
    unsigned long u64;
    i128 i128;
    u128 u128;
};

int main(void)
{
    unsigned char code;
    /* In place: copies of such a union may go through an 80-bit register and lose bytes. */
    static union value in[3], out;
    while (fread(&code, 1, 1, stdin) == 1 && fread(in, 16, 3, stdin) == 3) {
        memset(&out, 0, sizeof out);
        switch (code) {
        case 0: out.q = in[0].q + in[1].q; break;
        case 1: out.q = in[0].q - in[1].q; break;
        case 2: out.q = in[0].q * in[1].q; break;
        case 3: out.q = in[0].q / in[1].q; break;
        case 4: out.q = fmodf128(in[0].q, in[1].q); break;
        case 5: out.q = sqrtf128(in[0].q); break;
        case 6: out.q = floorf128(in[0].q); break;
        case 7: out.q = ceilf128(in[0].q); break;
        case 8: out.q = truncf128(in[0].q); break;
        case 9: out.q = roundevenf128(in[0].q); break;
        case 10: out.q = roundf128(in[0].q); break;
        case 11: out.q = fmaf128(in[0].q, in[1].q, in[2].q); break;
        case 12:
            out.u32 = (in[0].q < in[1].q) | (in[0].q == in[1].q) << 1 | (in[0].q > in[1].q) << 2
                | __builtin_isunordered(in[0].q, in[1].q) << 3;
            break;
        case 13: out.x = fmal(in[0].x, in[1].x, in[2].x); memset(out.bytes + 10, 0, 6); break;
        case 14: out.x = roundl(in[0].x); memset(out.bytes + 10, 0, 6); break;
        /* Formats. */
        case 20: out.h = in[0].q; break;
        case 21: out.s = in[0].q; break;
        case 22: out.d = in[0].q; break;
        case 23: out.x = in[0].q; memset(out.bytes + 10, 0, 6); break;
        case 24: out.q = in[0].h; break;
        case 25: out.q = in[0].s; break;
        case 26: out.q = in[0].d; break;
        case 27: out.q = in[0].x; break;
        case 28: out.h = in[0].x; break;
        case 29: out.h = in[0].d; break;
        case 30: out.h = in[0].s; break;
        /* To integers, by calls. */
        case 40: out.i32 = in[0].q; break;
        case 41: out.u32 = in[0].q; break;
        case 42: out.i64 = in[0].q; break;
        case 43: out.u64 = in[0].q; break;
        case 44: out.i128 = in[0].q; break;
        case 45: out.u128 = in[0].q; break;
        case 46: out.i128 = in[0].h; break;
        case 47: out.u128 = in[0].h; break;
        case 48: out.i128 = in[0].s; break;
        case 49: out.u128 = in[0].s; break;
        case 50: out.i128 = in[0].d; break;
        case 51: out.u128 = in[0].d; break;
        case 52: out.i128 = in[0].x; break;
        case 53: out.u128 = in[0].x; break;
        /* From integers. */
        case 60: out.h = in[0].i128; break;
        case 61: out.h = in[0].u128; break;
        case 62: out.s = in[0].i128; break;
        case 63: out.s = in[0].u128; break;
        case 64: out.d = in[0].i128; break;
        case 65: out.d = in[0].u128; break;
        case 66: out.x = in[0].i128; memset(out.bytes + 10, 0, 6); break;
        case 67: out.x = in[0].u128; memset(out.bytes + 10, 0, 6); break;
        case 68: out.q = in[0].i128; break;
        case 69: out.q = in[0].u128; break;
        }
        fwrite(&out, 16, 1, stdout);
    }
    return 0;
}
