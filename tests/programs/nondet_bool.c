//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ why: a truth value is 0 or 1 and nothing else
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);

int main(void) {
  int b = __VERIFIER_nondet_bool();
  if (b == 1)
    return 1;
  if (b != 0)
    __VERIFIER_error();
  return 0;
}
