//@ run: --check leak
//@ exit: 1
//@ finding: leak 10
//@ finding: leak 9
//@ why: each object is lost where it is made, although nobody looks at its address
#include <stdlib.h>

int main(void) {
  malloc(8);
  malloc(9);
  return 0;
}
