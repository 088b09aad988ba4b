/* heap_sort, 8 symbolic elements in [0,16]. */
#include "../algo/algo.h"
enum { N = 8, HI = 16 };
static algo_word a[N];
static void sift(int r, int n) { /* the greatest of a node and its children goes up */
  for (;;) {
    int m = r, c = 2 * r + 1;
    if (c < n)
      if (BR(a[c] > a[m])) m = c;
    if (c + 1 < n)
      if (BR(a[c + 1] > a[m])) m = c + 1;
    if (m == r) return;
    algo_word t = a[r]; a[r] = a[m]; a[m] = t;
    r = m;
  }
}
static void sort(void) {
  for (int r = N / 2 - 1; r >= 0; r--) sift(r, N);
  for (int n = N - 1; n > 0; n--) { algo_word t = a[0]; a[0] = a[n]; a[n] = t; sift(0, n); }
}

int main(void) {
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, HI, "x"); a[i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
