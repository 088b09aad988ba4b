//@ run: --check uninit --sym-stdin 2
//@ exit: 1
//@ paths: 3 completed, 2 errors, 0 stopped
//@ finding: uninit 16
//@ finding: div 19
//@ why: only indices above 2 are of unwritten elements; the others go on to the division
#include <unistd.h>

int main(void) {
  unsigned char in[2];
  int table[8];
  for (int i = 0; i < 3; i++)
    table[i] = i + 1;
  read(0, in, 2);
  unsigned at = in[0] & 7;
  if (table[at] == 2)
    return 1;
  if (at < 3 && in[1] == 'z')
    return 5 / (int)(at - at);
  return 0;
}
