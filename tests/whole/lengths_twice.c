//@ exit: 1
//@ finding: assert 16
//@ why: the bound of the first copy says nothing about the second
#include <klee/klee.h>
#include <assert.h>
#include <string.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char a[4] = "abc", b[4] = "ABC", c[4] = "...";
    unsigned long l = x != 0;
    memcpy(c, a, l);
    memcpy(b, a, l + 1);
    /* False for every x but 0. */
    assert(b[1] == 'B');
}
