/* bubble_sort, 8 symbolic elements in [0,16]. */
#include "../algo/algo.h"
enum { N = 8, HI = 16 };
static algo_word a[N];
static void sort(void) {
  for (int i = 0; i < N - 1; i++) {
    int swapped = 0;
    for (int j = 0; j < N - 1 - i; j++)
      if (BR(a[j] > a[j + 1])) { algo_word t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; swapped = 1; }
    if (!swapped) return;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, HI, "x"); a[i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
