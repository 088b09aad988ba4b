/* merge_sort, 8 symbolic elements in [0,16]. */
#include "../algo/algo.h"
enum { N = 8, HI = 16 };
static algo_word a[N];
static algo_word b[N];
static void msort(int l, int r) { /* [l, r) */
  if (r - l < 2) return;
  int m = l + (r - l) / 2, i = l, j = m, k = l;
  msort(l, m);
  msort(m, r);
  while (i < m) {
    if (j >= r) break;
    if (BR(a[i] <= a[j])) b[k++] = a[i++];
    else b[k++] = a[j++];
  }
  while (i < m) b[k++] = a[i++];
  while (j < r) b[k++] = a[j++];
  for (k = l; k < r; k++) a[k] = b[k];
}
static void sort(void) { msort(0, N); }

int main(void) {
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, HI, "x"); a[i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
