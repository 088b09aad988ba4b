/* insertion_sort, 40 elements in descending order, 40 to 1, but for three symbolic ones in [0,80] at 5, 10 and 20. */
#include "../algo/algo.h"
enum { N = 40, HI = 80 };
static algo_word a[N];
static void sort(void) {
  for (int i = 1; i < N; i++) {
    int j = i - 1;
    algo_word v = a[i];
    while (j >= 0) {
      if (BR(a[j] <= v)) break;
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = v;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) a[i] = N - i;
  for (int i = 8; i >= 2; i /= 2) { algo_word x; SYM(x, 0, HI, "x"); a[N / i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
