//@ paths: 2 completed, 4 errors
//@ finding: ptr 17 scope
//@ finding: ptr 25 scope
//@ finding: ptr 33 scope
//@ finding: ptr 43 scope
//@ exit: 1
//@ why: a pointer to a variable is used after its block: a plain block, a loop's body, a case of a switch, a block left by goto; used inside of it and in the next round, where the variable is there again, it is none
#include <klee/klee.h>

static int block(void) {
  int *kept;
  {
    int inner = 3;
    kept = &inner;
    inner = *kept + 1;
  }
  return *kept;
}
static int loop(int rounds) {
  int *kept = 0, sum = 0;
  for (int i = 0; i < rounds; i++) {
    int each[2] = {i, i};
    if (kept) sum += kept[1];
    kept = each; }
  return sum + kept[0];
}
static int chosen(int which) {
  int *kept = &which;
  switch (which) {
  case 2: { struct { int a, b; } pair = {1, 2}; kept = &pair.b; break; }
  default: break;
  }
  return *kept;
}
static int jumped(void) {
  int *kept;
  {
    int inner = 3;
    kept = &inner;
    goto out;
  }
out:
  return *kept;
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 0: return block();
  case 1: return loop(3);
  case 2: return chosen(2);
  case 3: return jumped();
  case 4: return chosen(1);
  default: return 0;
  }
}
