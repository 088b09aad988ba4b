/* heap_sort, 40 elements in descending order, 40 to 1, but for three symbolic ones in [0,80] at 5, 10 and 20. */
#include "../algo/algo.h"
enum { N = 40, HI = 80 };
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
  for (int i = 0; i < N; i++) a[i] = N - i;
  for (int i = 8; i >= 2; i /= 2) { algo_word x; SYM(x, 0, HI, "x"); a[N / i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
