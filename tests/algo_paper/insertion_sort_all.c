/* insertion_sort, 8 symbolic elements in [0,16]. */
#include "../algo/algo.h"
enum { N = 8, HI = 16 };
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
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, HI, "x"); a[i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
