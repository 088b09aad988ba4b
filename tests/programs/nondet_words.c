//@ paths: 32 completed, 0 errors
//@ exit: 0
//@ native: int=-1,0 uint=0x7fffffff,0x80000000 u32=5,6 long=0,-0x7fffffffffffffff ulong=1,0x8000000000000001
//@ why: five inputs with one branch each
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned __VERIFIER_nondet_u32(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
  int n = 0;
  if (__VERIFIER_nondet_int() < 0)
    n += 1;
  if (__VERIFIER_nondet_uint() > 0x7fffffff)
    n += 2;
  if (__VERIFIER_nondet_u32() == 6)
    n += 4;
  if (__VERIFIER_nondet_long() < -0x7ffffffffffffffe)
    n += 8;
  if (__VERIFIER_nondet_ulong() > 0x8000000000000000)
    n += 16;
  return n;
}
