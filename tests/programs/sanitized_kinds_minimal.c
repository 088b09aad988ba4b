//@ finding: overflow 24 add overflow
//@ finding: overflow 26 sub overflow
//@ finding: overflow 28 unsigned overflow
//@ finding: div 30 divrem overflow
//@ finding: overflow 30 overflow in division
//@ finding: overshift 32 shift out of bounds
//@ finding: overflow 32 shift out of bounds
//@ finding: ptr 34 out of bounds
//@ finding: ptr 36 null pointer
//@ finding: ptr 38 misaligned pointer
//@ finding: exec 40 load invalid value
//@ finding: exec 42 vla bound not positive
//@ finding: exec 44 builtin unreachable
//@ run: --cc-flag -fsanitize=undefined,unsigned-integer-overflow --cc-flag -fsanitize-minimal-runtime
//@ exit: 1
//@ native: no the native run would stop at one of these only
//@ why: each case has one or two errors that one handler of the sanitiser reports
#include <klee/klee.h>

static int run(int which, int n, int *p, unsigned char *bytes) {
  int table[4] = {1, 2, 3, 4};
  switch (which) {
  case 0: return
    n + 2147483600;
  case 1: return
    -2147483600 - n;
  case 2: return (int)
    ((unsigned)n + 4294967290u);
  case 3: return
    (-2147483647 - 1) / (n - 31);
  case 4: return
    1 << n;
  case 5: return
    table[n & 7];
  case 6: return
    *p;
  case 7: return
    *(int *)(bytes + (n & 1));
  case 8: return
    *(_Bool *)bytes;
  case 9: {
    int many[n - 40];
    many[0] = 0; return many[0]; }
  default: __builtin_unreachable();
  }
}

int main(void) {
  unsigned char which, n;
  klee_make_symbolic(&which, sizeof which, "which");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(which < 11);
  klee_assume(n < 128);
  int x = 3;
  _Alignas(8) unsigned char bytes[16] = {2};
  return run(which, n, n & 1 ? 0 : &x, bytes) == 77;
}
