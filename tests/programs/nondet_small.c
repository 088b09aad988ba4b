//@ paths: 32 completed, 0 errors
//@ exit: 0
//@ native: char=-2..2,127 uchar=0,127,128,255
//@ native: short=-300..-298,5 ushort=0,40000,40001
//@ why: five inputs with one branch each; a truth value that is not 0 is 1
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void) {
  _Bool b = __VERIFIER_nondet_bool();
  if (b != 0 && b != 1)
    return 99;
  int n = 0;
  if (__VERIFIER_nondet_char() < 0)
    n += 1;
  if (__VERIFIER_nondet_uchar() > 127)
    n += 2;
  if (__VERIFIER_nondet_short() < -299)
    n += 4;
  if (__VERIFIER_nondet_ushort() > 40000)
    n += 8;
  return n;
}
