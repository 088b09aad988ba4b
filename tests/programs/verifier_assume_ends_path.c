//@ paths: 1 completed, 0 errors
//@ exit: 0
//@ why: one side of the branch contradicts the assumption behind it and ends without a word
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void) {
  unsigned char x = __VERIFIER_nondet_uchar();
  if (x < 5)
    __VERIFIER_assume(x > 7);
  return 0;
}
