//@ paths: 16 completed, 0 errors
//@ exit: 0
//@ native: longlong=-5,5 ulonglong=1,0xfffffffffffffffe size_t=1,99 loff_t=-7,7
//@ why: four inputs with one branch each
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern unsigned long __VERIFIER_nondet_size_t(void);
extern long __VERIFIER_nondet_loff_t(void);

int main(void) {
  int n = 0;
  if (__VERIFIER_nondet_longlong() < 0)
    n += 1;
  if (__VERIFIER_nondet_ulonglong() > 0xfffffffffffffffd)
    n += 2;
  if (__VERIFIER_nondet_size_t() < 50)
    n += 4;
  if (__VERIFIER_nondet_loff_t() == -7)
    n += 8;
  return n;
}
