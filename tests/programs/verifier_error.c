//@ paths: 1 completed, 1 errors
//@ finding: assert 14 __VERIFIER_error
//@ exit: 1
//@ why: 7 * 6 is the only product of 7 that is 42, as the range is small
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 0);
  __VERIFIER_assume(x < 100);
  if (7 * x == 42)
    __VERIFIER_error();
  return 0;
}
