//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: which of two filled buffers longjmp goes to depends on the input: a path for each
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf places[2];

int main(void) {
  unsigned char a;
  klee_make_symbolic(&a, 1, "a");
  if (setjmp(places[0]))
    return 1;
  if (setjmp(places[1]))
    return 2;
  longjmp(places[a & 1], 1);
}
