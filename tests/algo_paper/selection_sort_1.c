/* selection_sort, 300 elements in descending order, 300 to 1, but for a symbolic one in [0,600] in the middle. */
#include "../algo/algo.h"
enum { N = 300, HI = 600 };
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
  for (int i = 0; i < N; i++) a[i] = N - i;
  algo_word x;
  SYM(x, 0, HI, "x");
  a[N / 2] = x;
  sort();
  for (int i = 0; i + 1 < N; i++) CHECK(a[i] <= a[i + 1]);
  return 0;
}
