//@ paths: 2 completed, 0 errors
//@ exit: 0
//@ native: pointer=0,1,4096
//@ why: an unknown pointer is null or not; it is not followed
extern void *__VERIFIER_nondet_pointer(void);

int main(void) {
  void *p = __VERIFIER_nondet_pointer();
  if (!p)
    return 1;
  return 0;
}
