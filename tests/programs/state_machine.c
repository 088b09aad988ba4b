//@ paths: 4 completed, 1 errors
//@ finding: abort 20 abort
//@ test: error s=0x636261
//@ exit: 1
//@ native: s=[97,98,99,100]
//@ why: ?: of constants does not jump, the switch does: states 0 0 0, 0 0 1, 0 1 0 and 0 1 2, where the last letter decides
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char s[3];
  int state = 0;
  klee_make_symbolic(s, sizeof s, "s");
  for (int i = 0; i < 3; i++) {
    switch (state) {
    case 0: state = s[i] == 'a' ? 1 : 0; break;
    case 1: state = s[i] == 'b' ? 2 : 0; break;
    case 2:
      if (s[i] == 'c')
        abort();
      state = 0;
    }
  }
  return state;
}
