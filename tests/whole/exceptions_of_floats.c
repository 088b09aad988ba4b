//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: exceptions_of_floats.c:11:10: fetestexcept: floating-point exceptions are not recorded
//@ why: the machine keeps no flags, so none is concluded from their absence
#include <fenv.h>

int main(void) {
  volatile double zero = 0, one = 1;
  feclearexcept(FE_ALL_EXCEPT);
  volatile double quotient = one / zero;
  return fetestexcept(FE_DIVBYZERO) == 0 && quotient > 0;
}
