//@ paths: 5 completed, 0 errors
//@ exit: 0
//@ why: jumps into blocks, statement expressions, compound literals, and setjmp keep their variables
#include <klee/klee.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf back;
struct text { char bytes[16]; };

static int jumps_in(int x) {
  int *kept, rounds = 0;
  if (x)
    goto inside;
  {
    int inner;
  inside:
    inner = 5;
    kept = &inner;
    if (++rounds < 3)
      goto inside;
    return *kept - 5;
  }
}
static int switched(int x) {
  int sum = 0;
  switch (x) {
    char buffer[8];
  case 0:
    memset(buffer, 1, sizeof buffer);
    sum += buffer[3];
    /* fall through */
  default:
    buffer[0] = 2;
    sum += buffer[0];
  }
  return sum;
}
static int expressions(void) {
  int *kept = (int[]){1, 2, 3};
  struct text text = ({ struct text t = {"abc"}; t; });
  int sum = kept[1] + ({ int inner = 4; int *p = &inner; *p; });
  for (struct text *p = &(struct text){"x"}; p; p = 0)
    sum += p->bytes[0] == 'x';
  return sum + (int)strlen(text.bytes) - 10;
}
static int comes_back(void) {
  volatile int again = 0;
  int *kept = 0;
  {
    int inner[2] = {6, 7};
    kept = inner;
    if (setjmp(back) > 0)
      return kept[1] - 7;
    again++;
  }
  longjmp(back, 1);
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 0: return jumps_in(0) + jumps_in(1);
  case 1: return switched(0) - 3 + switched(1) - 2;
  case 2: return expressions();
  case 3: return comes_back();
  default: return 0;
  }
}
