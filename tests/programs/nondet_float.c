//@ partial: float
//@ exit: 2
//@ native: no floats are not explored
//@ why: a symbolic float that is compared is made concrete
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

int main(void) {
  float f = __VERIFIER_nondet_float();
  double d = __VERIFIER_nondet_double();
  return f < 1.5f ? 1 : d > 2.5;
}
