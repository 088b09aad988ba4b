/* quick_sort, 8 symbolic elements in [0,16]. */
#include "../algo/algo.h"
enum { N = 8, HI = 16 };
static algo_word a[N];
static void qs(int l, int r) { /* [l, r], Lomuto, the last element is the pivot; its equals go to the left */
  if (l >= r) return;
  int i = l;
  algo_word p = a[r];
  for (int j = l; j < r; j++)
    if (BR(a[j] <= p)) { algo_word t = a[i]; a[i] = a[j]; a[j] = t; i++; }
  algo_word t = a[i]; a[i] = a[r]; a[r] = t;
  qs(l, i - 1);
  qs(i + 1, r);
}
static void sort(void) { qs(0, N - 1); }

int main(void) {
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, HI, "x"); a[i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
