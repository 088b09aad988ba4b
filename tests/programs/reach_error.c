//@ paths: 2 completed, 1 errors
//@ finding: assert 11 reach_error
//@ exit: 1
//@ why: each of two conditions has another side
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  if (x > 1000 && x + y == 3)
    reach_error();
  return 0;
}
