/* selection_sort, 8 symbolic elements in [0,16]. */
#include "../algo/algo.h"
enum { N = 8, HI = 16 };
static algo_word a[N];
static void sort(void) {
  for (int i = 0; i < N - 1; i++) {
    int m = i;
    for (int j = i + 1; j < N; j++)
      if (BR(a[j] < a[m])) m = j;
    algo_word t = a[i]; a[i] = a[m]; a[m] = t;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) { algo_word x; SYM(x, 0, HI, "x"); a[i] = x; }
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
