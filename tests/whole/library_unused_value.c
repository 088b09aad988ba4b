//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: lgamma subtracts from a variable that it has not written and throws the result away: nothing of that is
//@ why: symbolic
#include <math.h>

volatile double two = 2.0;

int main(void) { return lgamma(two) == 0.0 ? 0 : 1; }
