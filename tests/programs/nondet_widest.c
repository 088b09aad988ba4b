//@ paths: 8 completed, 0 errors
//@ exit: 0
//@ native: int128=-5,5 uint128=1,0xfffffffffffffffe unsigned=1,9
//@ why: three inputs with one branch each
extern __int128 __VERIFIER_nondet_int128(void);
extern unsigned __int128 __VERIFIER_nondet_uint128(void);
extern unsigned __VERIFIER_nondet_unsigned(void);

int main(void) {
  int n = 0;
  if (__VERIFIER_nondet_int128() < 0)
    n += 1;
  if (__VERIFIER_nondet_uint128() > 1000)
    n += 2;
  if (__VERIFIER_nondet_unsigned() == 9)
    n += 4;
  return n;
}
