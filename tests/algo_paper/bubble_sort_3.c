/* bubble_sort, 40 elements in descending order, 40 to 1, but for three symbolic ones in [0,80] at 5, 10 and 20. */
#include "../algo/algo.h"
enum { N = 40, HI = 80 };
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
  for (int i = 0; i < N; i++) a[i] = N - i;
  for (int i = 8; i >= 2; i /= 2) { algo_word x; SYM(x, 0, HI, "x"); a[N / i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
