/* Searches in an array whose N elements are all symbolic: each path mentions a few of its inputs, however many
 * there are. -D BINARY: binary search, 2 N + 1 paths; else linear search, N + 1 paths. -D KEY: the key is an input, too. */
#include "../algo/algo.h"
#ifndef N
#define N 2000
#endif
static int a[N];
int main(void) {
  int key = N, found = -1;
#ifdef KEY
  SYM(key, 0, 2 * N, "key");
#endif
  for (int i = 0; i < N; i++) { int x; SYM(x, 0, 2 * N, "a"); a[i] = x; }
#ifdef BINARY
  int lo = 0, hi = N - 1;
  while (lo <= hi) {
    int m = (lo + hi) / 2;
    if (a[m] == key) { found = m; break; }
    if (a[m] < key) lo = m + 1;
    else hi = m - 1;
  }
#else
  for (int i = 0; i < N; i++)
    if (a[i] == key) { found = i; break; }
#endif
  if (found >= 0) CHECK(a[found] == key);
  return 0;
}
