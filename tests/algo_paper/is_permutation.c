/* Is b a permutation of a?  6 + 6 symbolic elements in [0,12]: each element of a must be as often in b as in a, and the
 * first that is not ends the search. Equality tests only. */
#include "../algo/algo.h"
enum { N = 6 };
static algo_word a[N], b[N];
static int count(const algo_word *v, algo_word x) {
  int c = 0;
  for (int j = 0; j < N; j++)
    if (BR(v[j] == x)) c++;
  return c;
}
int main(void) {
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, 12, "a"); a[i] = x; }
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, 12, "b"); b[i] = x; }
  for (int i = 0; i < N; i++)
    if (count(a, a[i]) != count(b, a[i])) return 1;
  algo_word sa = 0, sb = 0;
  for (int i = 0; i < N; i++) { sa += a[i]; sb += b[i]; }
  CHECK(sa == sb);
  return 0;
}
