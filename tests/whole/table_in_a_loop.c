//@ exit: 0
//@ why: a loop reads a table at an unknown index in each round, which adds no fact: that is no operation that is run again for ever
#include <klee/klee.h>

int main(void) {
    unsigned char x, table[256];
    klee_make_symbolic(&x, 1, "x");
    for (int i = 0; i < 256; i++)
        table[i] = i * 7;
    unsigned y = x;
    for (int i = 0; i < 150; i++)
        y = table[(y + i) & 255];
    return y == 3;
}
