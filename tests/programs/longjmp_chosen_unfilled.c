//@ paths: 1 completed, 1 errors
//@ finding: exec 15 setjmp did not fill
//@ exit: 1
//@ why: one of the buffers that the input chooses was never filled
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf places[2];

int main(void) {
  unsigned char a;
  klee_make_symbolic(&a, 1, "a");
  if (setjmp(places[0]))
    return 1;
  longjmp(places[a & 1], 1);
}
