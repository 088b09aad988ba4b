/* Six sorts of N elements, SYMBOLIC of which are symbolic (PARTI, 4.1.3); SORT names the sort. The
 * places of the symbolic elements are spread over the array. */
void klee_make_symbolic(void *addr, unsigned long size, const char *name);
static int a[N], other[N];
static void exchange(int i, int j) { int t = a[i]; a[i] = a[j]; a[j] = t; }
static void bubble(void) {
  for (int n = N; n > 1; n--)
    for (int i = 0; i + 1 < n; i++)
      if (a[i] > a[i + 1]) exchange(i, i + 1);
}
static void sink(int root, int n) {
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && a[child] < a[child + 1]) child++;
    if (a[root] >= a[child]) return;
    exchange(root, child);
  }
}
static void heap(void) {
  for (int i = N / 2 - 1; i >= 0; i--) sink(i, N);
  for (int n = N - 1; n > 0; n--) { exchange(0, n); sink(0, n); }
}
static void insertion(void) {
  for (int i = 1; i < N; i++)
    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) exchange(j - 1, j);
}
static void halves(int from, int to) {
  if (to - from < 2) return;
  int middle = (from + to) / 2;
  halves(from, middle);
  halves(middle, to);
  int i = from, j = middle;
  for (int k = from; k < to; k++) {
    if (j == to || (i < middle && a[i] <= a[j])) other[k] = a[i++];
    else other[k] = a[j++];
  }
  for (int k = from; k < to; k++) a[k] = other[k];
}
static void merge(void) { halves(0, N); }
static void parts(int from, int to) {
  if (to - from < 2) return;
  exchange((from + to) / 2, to - 1);
  int least = from;
  for (int i = from; i + 1 < to; i++)
    if (a[i] < a[to - 1]) exchange(i, least++);
  exchange(least, to - 1);
  parts(from, least);
  parts(least + 1, to);
}
static void quick(void) { parts(0, N); }
static void selection(void) {
  for (int i = 0; i + 1 < N; i++) {
    int least = i;
    for (int j = i + 1; j < N; j++)
      if (a[j] < a[least]) least = j;
    exchange(i, least);
  }
}
typedef void sort(void);
int main(void) {
  sort *const all[] = {bubble, heap, insertion, merge, quick, selection};
  (void)all;
  for (int i = 0; i < N; i++) a[i] = i * 7919 % 1009;
  for (int i = 0; i < SYMBOLIC; i++)
    klee_make_symbolic(&a[(2 * i + 1) * N / (2 * SYMBOLIC)], sizeof(int), "x");
  SORT();
  for (int i = 0; i + 1 < N; i++)
    if (a[i] > a[i + 1]) __builtin_trap();
  return 0;
}
